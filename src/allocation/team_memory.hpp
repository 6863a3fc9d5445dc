// Memory of teams (an extension): only the members of the team call, and only they wait.
//
// The blocks lie in the team heap, behind the memory of shmem_malloc, where PEs have different blocks. The members
// agree on the lowest offset at which all of them have room. The memory of shmem_malloc is not concerned, so it stays
// symmetric over all PEs.
#pragma once

#include "coll/collective.hpp"

namespace oshen {

// A block at the same offset on all PEs of the team. Null on all of them if one has no room.
void* team_malloc(coll::team_call at, std::size_t bytes);
void* team_align(coll::team_call at, std::size_t alignment, std::size_t bytes);
void* team_calloc(coll::team_call at, std::size_t count, std::size_t bytes);
void team_free(coll::team_call at, void* block);

// Frees all blocks of a team that is about to be destroyed. It synchronises the team if there are any.
void free_blocks_of(coll::team_call at);

}  // namespace oshen
