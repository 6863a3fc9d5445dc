// Chooses a provider of libfabric and a network interface, by capability and by the host's routes.
#pragma once

#include "transport/network_rank.hpp"
#include "transport/ofi/library.hpp"

namespace oshen::transport::ofi {

network_rank rank_of_offer(const fi_info& offer);

using offer_report = void (*)(void* with, const fi_info& offer, const char* reason);

struct offer_wish {
  const char* options;            // names a provider ("tcp;ofi_rxm"), or ""
  int near_index = 0;             // of this PE; the PEs of a node share its equal cards
  offer_report report = nullptr;  // called for every offer, the chosen one first with a null reason
  void* with = nullptr;
};

// The same offer with atomic operations, if the provider has them; otherwise the offer itself. Takes the offer.
fi_info* with_atomics(const library& l, fi_info* offer);

// The best offer, or null with the reason in `why`.
fi_info* choose(const library& l, const offer_wish& wish, char* why, std::size_t room);

}  // namespace oshen::transport::ofi
