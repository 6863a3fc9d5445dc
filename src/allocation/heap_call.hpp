// Checks that all PEs make the same calls of the heap. Otherwise blocks would have different offsets, and puts would
// overwrite other blocks.
//
// Most calls of the heap have a barrier. Each PE records its call before the barrier, and after it compares the record
// of the next PE of its node with its own. If two PEs of a node make different calls, some neighbours do. Between nodes
// a PE compares with the PE before it in the job, which sends its record. The next barrier of the heap also compares
// the calls without a barrier, by their hash.
#pragma once

#include "world/world.hpp"

namespace oshen {

enum class heap_operation : std::uint64_t { allocate = 1, align, calloc, realloc, free };

struct heap_call {
  const char* routine;
  heap_operation operation;
  std::uint64_t values[2];  // the arguments; a block is given by its offset
};

// The barrier of the call. It publishes `missing` and `room` of this PE, which other PEs read with record_of(). Prints
// an error and ends the job if the next PE makes another call.
void synchronize(world& w, const heap_call& call, std::size_t missing = 0, std::size_t room = 0);

// Records a call without a barrier, which the next synchronize() compares.
void remember(world& w, const heap_call& call);

// The record that PE `pe` of this node published in the last synchronize(). Valid until the next one.
const heap_call_record& record_of(const world& w, int pe);

}  // namespace oshen
