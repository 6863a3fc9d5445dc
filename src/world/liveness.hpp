// Whether the process of another PE still is that PE: told by the kernel, not by the PE (design/waiting.md).
#pragma once

#include <cstdint>

#include "world/world.hpp"

namespace oshen {

// Marks this PE as living; once, before it is "joined".
void show_life(world& w);

// Ended, killed, not yet reaped by its parent, become another program, or its number given to another process. False
// where nothing can be known.
bool is_gone(const world& w, int pe);

// Stopped by a signal or a debugger.
bool is_stopped(const world& w, int pe);

}  // namespace oshen
