// Whose share of the reduced vector lies where.
#pragma once

#include "coll/protocol/partition.hpp"

namespace oshen::coll {

// Equal shares, or as long as the counts say, one behind the other in the order of the team.
inline part part_of_pe(const task& job, int pe) {
  if (job.from.elements == nullptr) return {static_cast<std::size_t>(pe) * job.elements, job.elements};
  std::size_t first = 0;
  for (int i = 0; i < pe; ++i) first += job.from.elements[i];
  return {first, job.from.elements[pe]};
}

inline std::size_t all_elements(const task& job) {
  const part last = part_of_pe(job, job.members.n_pes - 1);
  return last.first + last.elements;
}

}  // namespace oshen::coll
