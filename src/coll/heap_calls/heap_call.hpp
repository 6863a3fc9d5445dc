// The calls of the heap are the same on all PEs, or its blocks are no longer symmetric and puts land in other blocks.
// Every call meets the others in a barrier anyway: before it each PE says what it calls, after it each looks at what
// the next PE of its node has said. If the calls of any two PEs of a node differ, those of some neighbours do;
// between nodes the PE that is next in the job is told.
#pragma once

#include "world/world.hpp"

namespace oshen::coll {

enum class heap_operation : std::uint64_t { allocate = 1, align, calloc, realloc, free };

struct heap_call {
  const char* routine;
  heap_operation operation;
  std::uint64_t values[2];  // the arguments; blocks by their offset
};

// The barrier of the call. Says `missing` and `room` for this PE, which hear() reads on the others. A line and the end
// of the job when the next PE calls something else.
void meet(world& w, const heap_call& call, std::size_t missing = 0, std::size_t room = 0);

// What PE `pe` of this node has said at the last meeting; until the next one.
const heap_call_record& hear(const world& w, int pe);

}  // namespace oshen::coll
