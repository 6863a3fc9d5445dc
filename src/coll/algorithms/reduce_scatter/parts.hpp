// Whose share of the reduced vector lies where.
#pragma once

#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// Equal shares, or as long as the counts say, one behind the other in the order of the team.
inline segment segment_of_pe(const collective_call& call, int pe) {
  if (call.from.elements == nullptr) return {static_cast<std::size_t>(pe) * call.elements, call.elements};
  std::size_t first = 0;
  for (int i = 0; i < pe; ++i) first += call.from.elements[i];
  return {first, call.from.elements[pe]};
}

inline std::size_t all_elements(const collective_call& call) {
  const segment last = segment_of_pe(call, call.members.n_pes - 1);
  return last.first + last.elements;
}

}  // namespace oshen::coll
