#include "heap/core_dump.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/bits.hpp"

namespace oshen::heap {

// A failure is not reported: core files are then as large as without this call.
void leave_out_of_core(void* start, std::size_t bytes) { madvise(start, bytes, MADV_DONTDUMP); }

void keep_in_core(const segment& s, int i) { madvise(s.slice(i), s.plan().heap_offset(), MADV_DODUMP); }

// Works in steps of `alignment`, so that a program that allocates block by block seldom calls the kernel.
void keep_heap_in_core(const segment& s, int i, std::size_t begin, std::size_t end) {
  const std::size_t kept = round_up(begin, alignment);
  const std::size_t wanted = std::min(round_up(end, alignment), s.plan().annex_offset() - s.plan().heap_offset());
  if (wanted > kept) madvise(s.heap(i) + kept, wanted - kept, MADV_DODUMP);
}

}  // namespace oshen::heap
