// Scans of PEs that reach each other's memory: each carries the running sum of its part of the vector through all.
#pragma once

#include "coll/protocol/partition.hpp"

namespace oshen::coll {

// Of PEs `first` to `end` - 1, who have all entered: into the dest of each the sum up to its source, or up to that of
// the PE before. In place is safe: a block is read before the same block is written.
template <bool inclusive>
void carry_sums(const task& job, int first, int end, const part& of) {
  const team& t = job.members;
  alignas(cache_line) char sum[block_bytes];
  alignas(cache_line) char before[block_bytes];
  for_blocks(job, of, [&](std::size_t offset, std::size_t elements) {
    const std::size_t bytes = elements * job.element_bytes;
    memset(before, 0, bytes);
    for (int pe = first; pe < end; ++pe) {
      const char* source = at_pe(t, pe, job.source) + offset;
      if (pe == first) {
        memcpy(sum, source, bytes);
      } else {
        if (!inclusive) memcpy(before, sum, bytes);
        job.combine(sum, source, elements);
      }
      write_to(t, pe, job.dest + offset, inclusive ? sum : before, bytes);
    }
  });
}

}  // namespace oshen::coll
