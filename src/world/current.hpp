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

// Set once the process is on its way out for good: shutdown must not wait for anybody any more.
extern std::atomic<bool> leaving;

void set_current(world* w);

}  // namespace oshen
