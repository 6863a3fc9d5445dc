// Detects that the process of another PE has ended, by asking the kernel instead of the PE (design/waiting.md).
#pragma once

#include <cstdint>

#include "world/world.hpp"

namespace oshen {

// Marks this PE as alive. Called once, before its state becomes "joined".
void show_life(world& w);

// True if PE `pe` has ended in any way: it was killed, is a zombie, executes another program, or its pid belongs to
// another process. False if the kernel does not tell.
bool is_gone(const world& w, int pe);

// True if a signal or a debugger has stopped PE `pe`.
bool is_stopped(const world& w, int pe);

}  // namespace oshen
