// Chaos: delays at random wherever a collective tells, copies or hears something, so that PEs meet in orders that a
// quiet machine never shows. For tests, and for users who look for a race (setting OSHEN_CHAOS).
#pragma once

#include <atomic>

#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// May watch several teams, from several threads. The delays follow from the seed, the PE and the number of the event.
struct chaos : observer {
  explicit chaos(std::uint64_t with_seed);

  std::uint64_t seed;
  std::atomic<std::uint64_t> events{0};
};

// Lets chaos watch the teams of `w`, those that exist and those to come, where the settings say so.
void watch_as_set(world& w);

}  // namespace oshen::coll
