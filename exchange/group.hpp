// The group: the PEs that have plans together, and how they talk while a plan is made.
//
// Needs no team, only the list of PEs. Talk is in rounds in which each member tells each other one
// note and hears one; a round is a barrier as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "oshen/exchange.h"

namespace oshen::exchange {

struct member {
  int pe;             // number in the world
  std::byte* direct;  // its arena, where shmem_ptr reaches it; else null
};

// Goes on with every run that is under way, without waiting; false when nothing could be done. For
// waits that no single wait of OpenSHMEM covers.
bool keep_going(const oshen_arena& arena);

struct arena_block {
  std::size_t offset, bytes;
};

}  // namespace oshen::exchange

struct oshen_group {
  oshen_arena_t* arena;
  int me;  // number in the group
  std::vector<oshen::exchange::member> members;
  int busy = 0;  // runs under way
  // Memory of plans that are gone here, though a peer may still be about to tell them something.
  std::vector<oshen::exchange::arena_block> deferred_free;

  int size() const { return static_cast<int>(members.size()); }
  const oshen::exchange::member& at(int number) const {
    return members[static_cast<std::size_t>(number)];
  }

  // One round: `mine[r]` goes to member r; returns what each has told. Everything that any member
  // has put before it called is complete when this returns.
  std::vector<oshen::exchange::note> handshake(std::span<const oshen::exchange::note> mine);
  // The same note for everybody.
  std::vector<oshen::exchange::note> handshake(const oshen::exchange::note& mine);
  // A round in which only statuses matter: the worst, the same on all members.
  oshen_status_t agree(oshen_status_t mine);
  // Gives the memory whose free was deferred back: after a round in which nobody was busy, since a run under way
  // may belong to a plan that is gone here.
  void free_deferred();
};
