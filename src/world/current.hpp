// The world of the process, and the global data that entry points read before it exists.
#pragma once

#include <atomic>

#include "world/world.hpp"

namespace oshen {

// The default context, at a fixed address, so that an operation finds it without a load. It has no PEs while the
// library is not initialised: the range check that every operation needs anyway then detects that.
extern context default_context;

// Null while the library is not initialised.
extern world* current_world;

// The table of all other contexts. An operation needs one load to find it, so that it costs about as much as an
// operation on the default context.
extern context* private_contexts;

// True once this PE has ended the job: shutdown must no longer wait for other PEs.
extern std::atomic<bool> leaving;

// The exit status, other than 0, while this process is in exit(). It waits for no PE then, and no PE waits for it.
extern std::atomic<int> failing_with;

// True in a child that a PE has made by fork(): it is not a PE.
extern bool is_child_of_pe;

void set_current(world* w);

// Returns on the first PE of the job that calls it: that PE reports the error and ends the job. The others wait here
// for the end. It is called where several PEs detect the same error.
void claim_error_report(world& w);

}  // namespace oshen
