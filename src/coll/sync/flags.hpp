// Flags of the team's slot that tell one PE that another has come so far: counters of syncs.
#pragma once

#include "coll/reach.hpp"

namespace oshen::coll {

// Dissemination, which also ends a team, has the first flags to itself: a PE that is a sync ahead must not be taken
// for one of another algorithm.
inline constexpr int first_tree_flag = sync_rounds / 2;

inline void tell(const team& t, int pe, std::atomic<std::uint64_t>& word, std::uint64_t present) {
  observe(t, event::flag, pe);
  word.store(present, std::memory_order_release);
  ring(bell_of(t, pe));
}

// A PE that tells us may be one sync ahead already: never more, since it needs us for the next.
inline void await_told(const task& job, int pe, const std::atomic<std::uint64_t>& word, std::uint64_t present) {
  if (word.load(std::memory_order_acquire) < present) {
    const wait_note note{.routine = job.routine, .pe = job.members.world_pe(pe)};
    wait_for(*job.members.home, note, [&] { return word.load(std::memory_order_acquire) >= present; });
  }
  observe(job.members, event::heard, pe);
}

}  // namespace oshen::coll
