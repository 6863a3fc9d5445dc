// Tells if a process can still act without being woken by another process.
#pragma once

#include <cstdint>

namespace oshen::os {

int own_thread();

// True if every thread of this process, except those in `waiting`, sleeps without a time limit until another of its
// threads wakes it, and nothing else can change its memory: no signal handler of the program, no io_uring, no child
// that shares the memory. False if the kernel does not tell. `moves` changes when one of these threads has run: two
// calls that return true and equal `moves` prove that all of them slept at the same time.
bool is_still(const int* waiting, int n_waiting, std::uint64_t& moves);

}  // namespace oshen::os
