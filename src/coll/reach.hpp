// What the algorithms share: a peer's copy of an object, and the bulletins (control.hpp).
#pragma once

#include <string.h>

#include "coll/registry.hpp"
#include "world/idle.hpp"

namespace oshen::coll {

template <class T>
T* at_pe(const team& t, int pe, T* own) {
  return byte_offset(own, t.reach.hop_to(static_cast<std::uint32_t>(pe)));
}

// The PE `steps` after this one, round the team.
inline int after(const team& t, int steps) {
  const int pe = t.my_pe + steps;
  return pe < t.n_pes ? pe : pe - t.n_pes;
}

inline std::size_t line_of(const team& t) { return t.collectives % bulletin_lines; }

// Tells the team that this PE has entered the present collective, with a word and up to
// `bulletin_payload` bytes. Small payloads have their own branches: they are the latency of a collective.
inline void post(team& t, std::uint64_t word = 0, const void* payload = nullptr, std::size_t bytes = 0) {
  bulletin& mine = t.own_slot().board[line_of(t)];
  mine.word = word;
  if (bytes == 8)
    memcpy(mine.payload, payload, 8);
  else if (bytes != 0)
    memcpy(mine.payload, payload, bytes);
  mine.sequence.store(t.collectives, std::memory_order_release);  // pairs with the acquire in await()
  ring_all(t);
}

// Waits until PE `pe` has posted in the present collective.
inline const bulletin& await(const task& job, int pe) {
  team& t = job.members;
  const bulletin& theirs = t.slot_of(pe).board[line_of(t)];
  const std::uint64_t present = t.collectives;
  if (theirs.sequence.load(std::memory_order_acquire) != present) {
    const wait_note note{.routine = job.routine, .pe = t.world_pe(pe)};
    wait_for(*t.home, note, [&] { return theirs.sequence.load(std::memory_order_acquire) == present; });
  }
  return theirs;
}

inline void await_all(const task& job) {
  for (int i = 1; i < job.members.n_pes; ++i) await(job, after(job.members, i));
}

}  // namespace oshen::coll
