// The team heap: the part of the symmetric heap in which teams allocate, behind the memory of shmem_malloc.
//
// Contexts do not reach it before this PE uses it for the first time, so that in other programs an access behind the
// end of the heap is an error. From then on the range check of every operation accepts both parts.
#pragma once

#include "world/world.hpp"

namespace oshen {

// On return all contexts of this PE reach the team heap. Any thread may call it.
void open_team_heap(world& w);

// Extends a new context if the team heap is open. The context must be in its table or otherwise visible to
// open_team_heap(), which another thread may run at the same time.
void reach_team_heap(context& c, world& w);

}  // namespace oshen
