// The parts of the symmetric heap behind the memory of shmem_malloc: the team heap, in which teams allocate, and the
// card heap, whose objects belong to the network card.
//
// Only jobs with a card that has atomic operations have a card heap (shmem_malloc_with_hints). It is taken from the end
// of the team heap, because the layout of the segment is fixed before the network is known.
//
// Contexts do not reach these parts before this PE uses one for the first time, so that in other programs an access
// behind the end of the heap is an error. From then on the range check of every operation accepts all parts.
#pragma once

#include "world/world.hpp"

namespace oshen {

// The context reaches the first `bytes` bytes of the symmetric heap.
void set_reach(context& c, const world& w, std::size_t bytes);

// True if the address, in this PE's slice, lies in the card heap.
inline bool is_in_card_heap(const world& w, const void* object) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(object) - w.default_context.heap_start;
  return offset >= w.card_begin && offset < w.segment.plan().symmetric_bytes();
}

// On return all contexts of this PE reach the team heap and the card heap. Any thread may call it.
void open_team_heap(world& w);

// Extends a new context if the team heap is open. The context must be in its table or otherwise visible to
// open_team_heap(), which another thread may run at the same time.
void reach_team_heap(context& c, world& w);

}  // namespace oshen
