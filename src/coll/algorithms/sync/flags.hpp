// Flags of the team's slot that tell one PE that another has come so far: counters of syncs.
#pragma once

#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// Dissemination, which also ends a team, has the first flags to itself: a PE that is a sync ahead must not be taken
// for one of another algorithm.
inline constexpr int first_tree_flag = sync_rounds / 2;

// `word` is that of this PE.
inline void tell(const team& t, int pe, std::atomic<std::uint64_t>& word, std::uint64_t present) {
  observe(t, event::sync, pe);
  set_flag(t, pe, word, present);
}

// A PE that tells us may be one sync ahead already: never more, since it needs us for the next.
inline void await_told(const collective_call& call, int pe, const std::atomic<std::uint64_t>& word,
                       std::uint64_t present) {
  if (word.load(std::memory_order_acquire) < present) {
    const wait_info info{.routine = call.routine, .pe = call.members.world_pe(pe)};
    wait_for(*call.members.home, info, [&] { return word.load(std::memory_order_acquire) >= present; });
  }
  observe(call.members, event::sync, pe);
}

}  // namespace oshen::coll
