// The one world of the process, and what the entry points look at before there is one.
#pragma once

#include <atomic>

#include "world/world.hpp"

namespace oshen {

// The default context, at a fixed address so that an operation need not look for it. While the library is not
// initialised it has no PEs: the range check that every operation makes anyway then finds "not initialised".
extern context default_context;

// Null while the library is not initialised.
extern world* current_world;

// The table of all other contexts, one load away: operations on them should cost what those on the default one do.
extern context* private_contexts;

// Set once this PE has ended the job: shutdown must not wait for anybody any more.
extern std::atomic<bool> leaving;

// The status, other than 0, with which this process is in exit(). Nobody waits for it, and it waits for nobody.
extern std::atomic<int> failing_with;

// This process is a child that a PE made by fork(): no PE.
extern bool is_child_of_pe;

void set_current(world* w);

}  // namespace oshen
