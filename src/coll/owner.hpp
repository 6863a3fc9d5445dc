// Dividing a vector among the PEs of a team: each owns one part, combines it for all, and writes it to all.
#pragma once

#include <algorithm>

#include "coll/reach.hpp"

namespace oshen::coll {

struct part {
  std::size_t first;  // element
  std::size_t elements;
};

// Parts begin on cache lines of dest where that is possible, so that no line has two writers.
inline part part_of(const task& job, int pe) {
  const auto n = static_cast<std::size_t>(job.members.n_pes);
  const std::size_t grain = job.element_bytes < cache_line ? cache_line / job.element_bytes : 1;
  const std::size_t share = round_up((job.elements + n - 1) / n, grain);
  const std::size_t first = std::min(share * static_cast<std::size_t>(pe), job.elements);
  return {first, std::min(share, job.elements - first)};
}

inline constexpr std::size_t block_bytes = 8192;  // stays in the first-level cache with its sources

// Calls `step(offset in bytes, elements)` for the blocks of this PE's part.
template <class Step>
void for_own_blocks(const task& job, Step step) {
  const part mine = part_of(job, job.members.my_pe);
  const std::size_t per_block = block_bytes / job.element_bytes;
  for (std::size_t done = 0; done < mine.elements; done += per_block)
    step((mine.first + done) * job.element_bytes, std::min(per_block, mine.elements - done));
}

}  // namespace oshen::coll
