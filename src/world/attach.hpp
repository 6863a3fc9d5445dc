// The node segment comes to every PE: one makes it, the others map the same object and prove it.
#pragma once

#include "world/world.hpp"

namespace oshen {

inline constexpr int leader = 0;  // the PE that makes the node segment

// What the leader tells about the segment it made.
struct offer {
  std::uint64_t nonce;
  std::uint64_t affordable;
  std::int32_t fd;
  std::int32_t made;             // 0: the leader could not
};


// On the leader: makes and maps the segment. Elsewhere an empty offer.
offer make_segment(world& w, const heap::layout& plan);

// On the others: maps what the leader offers, through /proc or, where that is not allowed, by a socket. Collective.
status attach_segment(world& w, const heap::layout& plan, const offer& made, int leader_pid);

}  // namespace oshen
