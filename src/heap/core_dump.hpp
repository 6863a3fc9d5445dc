// A core file holds the parts of the node segment that this PE has used: its own control page, static data and heap
// up to the high-water mark. All of the segment would be as large as the heaps of all PEs of the node, and the kernel
// would allocate every page that has never been touched while it writes the file.
#pragma once

#include <cstddef>

#include "heap/segment.hpp"

namespace oshen::heap {

// Of a new mapping: nothing.
void leave_out_of_core(void* start, std::size_t bytes);

// Of slice `i`: what lies before the heap ...
void keep_in_core(const segment& s, int i);
// ... and the heap's first `end` bytes, of which those before `begin` are kept already.
void keep_heap_in_core(const segment& s, int i, std::size_t begin, std::size_t end);

}  // namespace oshen::heap
