// The share of each PE in the reduced vector.
#pragma once

#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// Shares are contiguous, in the order of the team. They are equal, or have the lengths that the counts give.
inline element_range share_of(const collective_call& call, int pe) {
  if (call.from.counts == nullptr) return {static_cast<std::size_t>(pe) * call.elements, call.elements};
  std::size_t first = 0;
  for (int i = 0; i < pe; ++i) first += call.from.counts[i];
  return {first, call.from.counts[pe]};
}

inline std::size_t all_elements(const collective_call& call) {
  const element_range last = share_of(call, call.members.n_pes - 1);
  return last.first + last.elements;
}

}  // namespace oshen::coll
