// The group: the PEs of a team, where each of them receives, and how they agree while a plan is
// made.
//
// All plans of a group receive in the same memory, which has two halves used in turn by successive
// runs, whatever their plans: a PE that is in run n + 1 has passed the barrier of run n, which its
// peers entered after they had unpacked run n - 1, the last user of that half. So one barrier per
// run is enough, and a thousand plans need no more memory than the largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "oshen/exchange.h"

namespace oshen::exchange {

struct member {
  int pe;              // number in SHMEM_TEAM_WORLD
  std::byte* direct;   // its arena, where shmem_ptr reaches it; else null
  std::uint64_t half;  // its receive memory, as told by it
  std::uint64_t half_bytes;
};

}  // namespace oshen::exchange

struct oshen_group {
  oshen_arena_t* arena;
  shmem_team_t team;
  int me;  // number in the team
  std::vector<oshen::exchange::member> members;
  std::uint64_t runs = 0;  // of all plans; its lowest bit selects the half

  // Makes each half at least `bytes` long. Nobody may be writing to it: after a sync that follows
  // the last run. False, and the size as before, when the arena is full.
  bool reserve(std::size_t bytes);

  // One round of talk: `mine[r]` goes to member r; returns when all have been told. What member r
  // said is said(r).
  void tell(std::span<const oshen::exchange::record> mine);
  // Second round: the worst verdict of all members, the same on each.
  oshen_status_t agree(oshen_status_t mine);
  const oshen::exchange::record& said(int member) const;

  // The half of the current run: of a member, as an offset in its arena; our own, as memory.
  std::size_t half_of(int member) const;
  std::byte* own_half() const { return arena->base + half_of(me); }
};
