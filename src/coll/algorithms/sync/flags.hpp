// Signals of syncs: a flag in the team's slot holds the number of the last sync for which it was raised.
#pragma once

#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// The flags before this one belong to dissemination, which also ends a team and may therefore follow a sync of another
// algorithm. A PE that is one sync ahead must not raise a flag for which that other algorithm waits.
inline constexpr int first_tree_flag = sync_rounds / 2;

// Raises a flag of PE `pe`. `word` is this PE's own copy of it.
inline void tell(const team& t, int pe, std::atomic<std::uint64_t>& word, std::uint64_t present) {
  observe(t, event::sync, pe);
  set_flag(t, pe, word, present);
}

// Waits for the signal of PE `pe`. That PE may be one sync ahead, but not further, because it needs this PE for the
// next sync. The acquire pairs with the release of the PE that raises the flag.
inline void await_told(const collective_call& call, int pe, const std::atomic<std::uint64_t>& word,
                       std::uint64_t present) {
  if (word.load(std::memory_order_acquire) < present) {
    const wait_info info{.routine = call.routine, .pe = call.members.world_pe(pe)};
    wait_for(*call.members.home, info, [&] { return word.load(std::memory_order_acquire) >= present; });
  }
  observe(call.members, event::sync, pe);
}

}  // namespace oshen::coll
