// Tells whether a process can still act without being woken by another process.
#pragma once

#include <cstdint>

namespace oshen::os {

int own_thread();

// True if this process cannot change its memory by itself. Every thread, except those in `waiting` and those of the
// library, then sleeps without a time limit until another thread of the process wakes it. There is no signal handler
// that could act, no io_uring, and no child that shares the memory. False if the kernel does not tell. `moves` changes
// when one of these threads has run. Two calls that return true and equal `moves` prove that all these threads slept at
// the same time.
bool is_still(const int* waiting, int n_waiting, std::uint64_t& moves);

}  // namespace oshen::os
