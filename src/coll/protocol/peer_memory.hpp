// What the algorithms share: a peer's copy of an object, copies to and from it, and the flag slots (control.hpp).
#pragma once

#include <string.h>

#include "coll/protocol/observer.hpp"
#include "coll/choosing/registry.hpp"
#include "coll/protocol/signature.hpp"
#include "coll/protocol/team_sync.hpp"
#include "op/other_node.hpp"
#include "world/idle.hpp"

namespace oshen::coll {

template <class T>
T* at_pe(const team& t, int pe, T* own) {
  return byte_offset(own, t.ctx.offset_to(static_cast<std::uint32_t>(pe)));
}

// The PE `steps` after this one, round the team.
inline int after(const team& t, int steps) {
  const int pe = t.my_pe + steps;
  return pe < t.n_pes ? pe : pe - t.n_pes;
}

// The other PEs of a team, for a range loop.
template <int direction>
struct round_the_team {
  struct iterator {
    const team& t;
    int steps;

    int operator*() const { return after(t, steps); }
    void operator++() { steps += direction; }
    bool operator!=(const iterator& end) const { return steps != end.steps; }
  };
  const team& t;

  iterator begin() const { return {t, direction > 0 ? 1 : t.n_pes - 1}; }
  iterator end() const { return {t, direction > 0 ? t.n_pes : 0}; }
};

// From the next one on, so that not all PEs turn to the same one at a time; or backwards from the one before, which is
// the order in which the others come to this PE.
inline round_the_team<1> others(const team& t) { return {t}; }
inline round_the_team<-1> others_backwards(const team& t) { return {t}; }

inline wake_flag& wakeup_of(const team& t, int pe) { return at_pe(t, pe, t.ctx.control)->wakeup; }

// ---- PEs of other nodes: what a row of scope `any` does to them. Objects are named by those of this PE. Each change
// of a word comes after what this PE has written there before.
[[gnu::cold]] void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes);
[[gnu::cold]] void set_remote(const team& t, int pe, const std::atomic<std::uint64_t>& word, std::uint64_t value);
[[gnu::cold]] void put_and_set_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes,
                                      const std::atomic<std::uint64_t>& word, std::uint64_t value,
                                      op::pace p = op::pace::blocking);
[[gnu::cold]] void put_and_add_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes,
                                      const std::atomic<std::uint64_t>& word, std::uint64_t value);

// What has been put without waiting has left this PE's memory.
[[gnu::cold]] void quiet_remote(const team& t);

// ---- PEs of any node ----------------------------------------------------------------------------------------

// Copies to the object `to` of PE `pe`.
inline void copy_to(const team& t, int pe, void* to, const void* from, std::size_t bytes) {
  if (!t.is_near(pe)) [[unlikely]] return put_remote(t, pe, to, from, bytes);
  memcpy(at_pe(t, pe, static_cast<char*>(to)), from, bytes);
}

// Sets the word of PE `pe` after all that this PE has written there, and wakes it.
inline void set_word(const team& t, int pe, std::atomic<std::uint64_t>& word, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]] return set_remote(t, pe, word, value);
  const std::ptrdiff_t peer_offset = t.ctx.offset_to(static_cast<std::uint32_t>(pe));
  byte_offset(&word, peer_offset)->store(value, std::memory_order_release);
  wake(byte_offset(t.ctx.control, peer_offset)->wakeup);
}
inline void add_to_word(const team& t, int pe, std::atomic<std::uint64_t>& word, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]] return put_and_add_remote(t, pe, &word, nullptr, 0, word, value);
  const std::ptrdiff_t peer_offset = t.ctx.offset_to(static_cast<std::uint32_t>(pe));
  byte_offset(&word, peer_offset)->fetch_add(value, std::memory_order_release);
  wake(byte_offset(t.ctx.control, peer_offset)->wakeup);
}

// Both: a far PE gets them as one message, if the bytes are few.
inline void copy_and_set(const team& t, int pe, void* to, const void* from, std::size_t bytes,
                         std::atomic<std::uint64_t>& word, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]] return put_and_set_remote(t, pe, to, from, bytes, word, value);
  memcpy(at_pe(t, pe, static_cast<char*>(to)), from, bytes);
  set_word(t, pe, word, value);
}
inline void copy_and_add(const team& t, int pe, void* to, const void* from, std::size_t bytes,
                         std::atomic<std::uint64_t>& word, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]] return put_and_add_remote(t, pe, to, from, bytes, word, value);
  memcpy(at_pe(t, pe, static_cast<char*>(to)), from, bytes);
  add_to_word(t, pe, word, value);
}

// Copies from this PE's memory to the object `to` of PE `pe`, and from its object `from`, on this node, to here.
inline void write_to(const team& t, int pe, char* to, const void* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  copy_to(t, pe, to, from, bytes);
}
inline void read_from(const team& t, int pe, void* to, const char* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  memcpy(to, at_pe(t, pe, from), bytes);
}

// ---- flag slots ----------------------------------------------------------------------------------------------

inline std::size_t line_of(const team& t) { return t.collectives % flag_slots; }

// What fits beside a flag: in the flag slot itself, or on the long payload of teams that have a workspace.
inline std::size_t inline_limit(const setting& s) { return s.workspace ? long_payload_bytes : flag_payload; }

inline std::byte* payload_of(const team& t, int pe, std::size_t bytes) {
  if (bytes <= flag_payload) return t.slot_of(pe).flags[line_of(t)].payload;
  return t.workspace_of(pe).long_payloads[line_of(t)];
}

// Tells the team that this PE has entered the present collective, with a word and up to inline_limit() bytes.
// Small payloads have their own branches: they are the latency of a collective.
inline void post(team& t, std::uint64_t word = 0, const void* payload = nullptr, std::size_t bytes = 0) {
  observe(t, event::flag, -1, bytes);
  flag_slot& mine = t.own_slot().flags[line_of(t)];
  mine.word = word;
  if (bytes == 8) {
    memcpy(mine.payload, payload, 8);
  } else if (bytes != 0) {
    if (bytes > flag_payload) t.used_workspace = true;
    memcpy(payload_of(t, t.my_pe, bytes), payload, bytes);
  }
  mine.sequence.store(t.flag, std::memory_order_release);  // pairs with the acquire in await()
  wake_all(t);
}

// Waits until PE `pe` has posted in the present collective.
inline const flag_slot& await(const task& job, int pe) {
  team& t = job.members;
  const flag_slot& theirs = t.slot_of(pe).flags[line_of(t)];
  const std::uint64_t present = t.flag;
  std::uint64_t seen = theirs.sequence.load(std::memory_order_acquire);
  if (seen != present) {
    const wait_info info{.routine = job.routine, .pe = t.world_pe(pe)};
    wait_for(*t.home, info, [&] {
      seen = theirs.sequence.load(std::memory_order_acquire);
      return ((seen ^ present) & flag_number) == 0;
    });
    if (seen != present) other_call(job, pe);
  }
  observe(t, event::heard, pe);
  return theirs;
}

// The same, for the payload that PE `pe` has posted: `bytes` as that PE gave them.
inline const std::byte* await_payload(const task& job, int pe, std::size_t bytes) {
  await(job, pe);
  return payload_of(job.members, pe, bytes);
}

inline void await_all(const task& job) {
  for (const int pe : others(job.members)) await(job, pe);
}

}  // namespace oshen::coll
