// Scans of PEs that map each other's memory: each PE computes the running sums of its share of the vector for all
// PEs.
#pragma once

#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// For PEs `first` to `end` - 1, which have all entered: writes into the dest of each the sum of the sources up to its
// own, or up to that of the PE before it. Dest may be source, because a block is read before it is written.
template <bool inclusive>
void carry_sums(const collective_call& call, int first, int end, const element_range& of) {
  const team& t = call.members;
  alignas(cache_line) char sum[block_bytes];
  alignas(cache_line) char before[block_bytes];
  for_blocks(call, of, [&](std::size_t offset, std::size_t elements) {
    const std::size_t bytes = elements * call.element_bytes;
    memset(before, 0, bytes);
    for (int pe = first; pe < end; ++pe) {
      const char* source = peer_address(t, pe, call.source) + offset;
      if (pe == first) {
        memcpy(sum, source, bytes);
      } else {
        if (!inclusive) memcpy(before, sum, bytes);
        call.combine(sum, source, elements);
      }
      write_to(t, pe, call.dest + offset, inclusive ? sum : before, bytes);
    }
  });
}

}  // namespace oshen::coll
