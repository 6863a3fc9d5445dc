// Whether a process can still do something by itself, other than in the threads that are known to wait.
#pragma once

#include <cstdint>

namespace oshen::os {

int own_thread();

// True if every thread of this process but those in `waiting` sleeps until another of its threads wakes it, with no
// limit of time, and no signal handler of the program could act instead. `moves` changes when one of them has run
// meanwhile: only two looks with equal `moves` prove that they slept at the same time. False where nothing is known.
bool is_still(const int* waiting, int n_waiting, std::uint64_t& moves);

}  // namespace oshen::os
