// Which provider of libfabric, on which interface: by what it can do, and by where the hosts' routes lead.
#pragma once

#include "transport/ofi/library.hpp"

namespace oshen::transport::ofi {

// Null, or why a provider that would be capable is not taken.
const char* objection(const char* provider);

// Calls see(info, reason) for every offer, the chosen one first with a null reason. `options`: the name of a provider
// that is wanted ("tcp;ofi_rxm"), or "". False with the reason in `why` when none is left.
using seen = void (*)(void* with, const fi_info& offer, const char* reason);
fi_info* choose(const library& l, const char* options, seen see, void* with, char* why, std::size_t room);

}  // namespace oshen::transport::ofi
