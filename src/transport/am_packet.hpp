// The endpoint's own messages: an AM request for an atomic operation, its reply, and a pack (transport/pack.hpp).
#pragma once

#include "transport/transport.hpp"

namespace oshen::transport {

enum class am_kind : std::uint8_t { request, reply, pack };

// An AM request for an atomic operation, and the reply to a request or to a pack.
struct am_packet {
  am_kind kind;
  operation op;
  width bytes;
  std::uint8_t unused = 0;
  std::int32_t number;  // index in the requester's `requests_`
  std::uint64_t at;     // offset in the target's slice
  std::uint64_t value;  // in a reply: the value before the operation
  std::uint64_t compare;
};
static_assert(sizeof(am_packet) <= min_message_bytes);

// The beginning of a pack.
struct pack_head {
  am_kind kind;
  std::uint8_t unused[3];
  std::int32_t number;  // index in the requester's `requests_`
};

}  // namespace oshen::transport
