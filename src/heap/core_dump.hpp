// A core file holds the parts of the node segment that this PE has used: its own control page, its static data, and its
// heap up to the high-water mark. The whole segment would be as large as the heaps of all PEs of the node. The kernel
// would also allocate every untouched page while it writes the file.
#pragma once

#include <cstddef>

#include "heap/segment.hpp"

namespace oshen::heap {

// Leaves a new mapping out of core files.
void leave_out_of_core(void* start, std::size_t bytes);

// Includes the part of slice `i` before its heap.
void keep_in_core(const segment& s, int i);
// Includes the first `end` bytes of the heap of slice `i`. The bytes before `begin` are included already.
void keep_heap_in_core(const segment& s, int i, std::size_t begin, std::size_t end);

}  // namespace oshen::heap
