// What is known about providers of libfabric that no attribute of an offer tells.
#pragma once

#include "transport/ofi/library.hpp"

namespace oshen::transport::ofi {

// The reason for not using a capable provider; null: it may be used.
const char* objection(const char* provider);

// True if a put can announce itself to the target.
bool has_remote_data(const fi_info& offer);

// True if a stream may have an endpoint of its own.
bool gives_separate_endpoints(const fi_info& offer);

// True if the card executes atomic operations, and their cost is that of a put.
bool has_card_atomics(const fi_info& offer);

// True if the card moves the bytes of puts and atomic operations without calls of the provider on the target.
bool arrives_by_card(const fi_info& offer);

// True if a write without flags completes as the endpoint's op_flags say.
bool completes_short_calls_at_delivery(const fi_info& offer);

// True if a put and a signal travel better as two writes than as one message.
bool signals_by_writes(const fi_info& offer);

// True if a message that is longer than the provider's buffers costs more than messages of their size.
bool splits_long_messages(const fi_info& offer);

// True if its domains are network interfaces of the kernel, to which its routes and names apply.
bool is_of_the_kernel(const fi_info& offer);

}  // namespace oshen::transport::ofi
