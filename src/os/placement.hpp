// The pages that the kernel takes for shared memory: their size, and their NUMA node. All calls are requests, which a
// kernel may not follow.
#pragma once

#include <cstddef>

namespace oshen::os {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Backs the range, except for less than a huge page at both ends, by huge pages. Contents stay. Takes all its memory.
void use_huge_pages(char* start, std::size_t bytes);
// Bytes in huge pages, of the mappings of this process that begin in the range.
std::size_t bytes_in_huge_pages(const char* start, std::size_t bytes);

// Takes pages from a NUMA node as long as it has memory; -1 is the node of the calling thread.
void prefer_numa_node(char* start, std::size_t bytes, int node);
// Takes pages from all NUMA nodes in turn.
void spread_over_numa_nodes(char* start, std::size_t bytes);
// Takes pages from the node of the thread that touches them first, as before any request.
void forget_numa_nodes(char* start, std::size_t bytes);

}  // namespace oshen::os
