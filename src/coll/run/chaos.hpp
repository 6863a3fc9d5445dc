// Chaos: random delays wherever a collective raises a flag, copies, or receives. So PEs meet in orders that do not
// occur on a quiet machine. It serves tests, and the search for a race in a program (setting OSHEN_CHAOS).
#pragma once

#include <atomic>

#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// One object may observe several teams, from several threads. The seed, the PE and the number of the event determine a
// delay.
struct chaos : observer {
  explicit chaos(std::uint64_t with_seed);

  std::uint64_t seed;
  std::atomic<std::uint64_t> events{0};
};

// Lets chaos observe all present and future teams of `w`, if OSHEN_CHAOS is set.
void watch_as_set(world& w);

}  // namespace oshen::coll
