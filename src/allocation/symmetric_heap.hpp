// The routines of the symmetric heap (OpenSHMEM 1.6, 9.3). They are collective on the world team: all PEs make the same
// calls in the same order. An allocation ends with a barrier, and a deallocation begins with one, unless stated
// otherwise.
#pragma once

#include "world/world.hpp"

namespace oshen {

void* heap_malloc(world& w, const char* routine, std::size_t bytes);
// As heap_malloc(), with the hints of shmem_malloc_with_hints. Without a barrier with SHMEMX_MALLOC_NO_BARRIER.
void* heap_malloc_with_hints(world& w, const char* routine, std::size_t bytes, long hints);
void* heap_align(world& w, const char* routine, std::size_t alignment, std::size_t bytes);
void* heap_calloc(world& w, const char* routine, std::size_t count, std::size_t bytes);
void* heap_realloc(world& w, const char* routine, void* block, std::size_t bytes);
void heap_free(world& w, const char* routine, void* block);
void heap_free_no_barrier(world& w, const char* routine, void* block);

// Bytes of this PE's heap that are in huge pages. Reads a file of the kernel if any were requested.
std::size_t heap_bytes_in_huge_pages(const world& w);

// At the end of the job: prints how many more requests were refused after the first one.
void report_refusals(const world& w);

}  // namespace oshen
