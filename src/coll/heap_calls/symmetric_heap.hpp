// The heap routines (OpenSHMEM 1.6, 9.3): collective on the world team, the same calls in the same order
// everywhere. A block is given out with a barrier after it and taken back with a barrier before.
#pragma once

#include "world/world.hpp"

namespace oshen::coll {

void* heap_malloc(world& w, const char* routine, std::size_t bytes);
void* heap_align(world& w, const char* routine, std::size_t alignment, std::size_t bytes);
void* heap_calloc(world& w, const char* routine, std::size_t count, std::size_t bytes);
void* heap_realloc(world& w, const char* routine, void* block, std::size_t bytes);
void heap_free(world& w, const char* routine, void* block);

// At the end: how often NULL was the answer after the refusal that was explained.
void report_refusals(const world& w);

}  // namespace oshen::coll
