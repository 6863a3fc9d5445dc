// What the algorithms share: a peer's copy of an object, copies to and from it, and the bulletins (control.hpp).
#pragma once

#include <string.h>

#include "coll/observer.hpp"
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

inline doorbell& bell_of(const team& t, int pe) { return at_pe(t, pe, t.reach.control)->bell; }

// Copies from this PE's memory to the object `to` of PE `pe`, and from its object `from` to here.
inline void write_to(const team& t, int pe, char* to, const void* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  memcpy(at_pe(t, pe, to), from, bytes);
}
inline void read_from(const team& t, int pe, void* to, const char* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  memcpy(to, at_pe(t, pe, from), bytes);
}

// ---- bulletins ----------------------------------------------------------------------------------------------

inline std::size_t line_of(const team& t) { return t.collectives % bulletin_lines; }

// What fits beside a flag: in the bulletin itself, or on the placard of teams that have a room.
inline std::size_t board_limit(const setting& s) { return s.room ? placard_bytes : bulletin_payload; }

inline std::byte* payload_place(const team& t, int pe, std::size_t bytes) {
  if (bytes <= bulletin_payload) return t.slot_of(pe).board[line_of(t)].payload;
  return t.room_of(pe).placards[line_of(t)];
}

// Tells the team that this PE has entered the present collective, with a word and up to board_limit() bytes.
// Small payloads have their own branches: they are the latency of a collective.
inline void post(team& t, std::uint64_t word = 0, const void* payload = nullptr, std::size_t bytes = 0) {
  observe(t, event::flag, -1, bytes);
  bulletin& mine = t.own_slot().board[line_of(t)];
  mine.word = word;
  if (bytes == 8) {
    memcpy(mine.payload, payload, 8);
  } else if (bytes != 0) {
    if (bytes > bulletin_payload) t.used_room = true;
    memcpy(payload_place(t, t.my_pe, bytes), payload, bytes);
  }
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
  observe(t, event::heard, pe);
  return theirs;
}

// The same, for the payload that PE `pe` has posted: `bytes` as that PE gave them.
inline const std::byte* await_payload(const task& job, int pe, std::size_t bytes) {
  await(job, pe);
  return payload_place(job.members, pe, bytes);
}

inline void await_all(const task& job) {
  for (int i = 1; i < job.members.n_pes; ++i) await(job, after(job.members, i));
}

}  // namespace oshen::coll
