// Flag slots (world/control.hpp): each PE of a team writes its own, and all PEs of its node read it. A flag slot says
// that its PE has entered a collective, which call it makes, and carries up to long_payload_bytes bytes of data.
#pragma once

#include "coll/call/signature.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// ---- posting and waiting --------------------------------------------------------------------------------------

inline std::byte* payload_of(const team& t, int pe, std::size_t bytes) {
  if (bytes <= flag_payload) return t.slot_of(pe).flags[slot_index(t)].payload;
  return t.workspace_of(pe).long_payloads[slot_index(t)];
}

// Stores a number and up to long_payload_bytes bytes in this PE's flag slot. Short payloads have branches of their own
// because they determine the latency of a collective.
inline void fill_slot(team& t, std::uint64_t value, const void* payload, std::size_t bytes) {
  flag_slot& mine = t.own_slot().flags[slot_index(t)];
  mine.value = value;
  if (bytes == 8) {
    memcpy(mine.payload, payload, 8);
  } else if (bytes != 0) {
    if (bytes > flag_payload) t.used_workspace = true;
    memcpy(payload_of(t, t.my_pe, bytes), payload, bytes);
  }
  mine.sequence.store(t.flag, std::memory_order_release);  // pairs with the acquire in await()
}

// Announces to the team that this PE has entered the present collective.
inline void post(team& t, std::uint64_t value = 0, const void* payload = nullptr, std::size_t bytes = 0) {
  observe(t, event::flag, -1, bytes);
  fill_slot(t, value, payload, bytes);
  wake_all(t);
}

// The same, if only PE `pe` of this node waits for it: no other PE is woken.
inline void post_to(team& t, int pe, const void* payload, std::size_t bytes) {
  observe(t, event::flag, pe, bytes);
  fill_slot(t, 0, payload, bytes);
  wake(wake_flag_of(t, pe));
}

// Waits until PE `pe` has posted in the present collective.
inline const flag_slot& await(const collective_call& call, int pe) {
  team& t = call.members;
  const flag_slot& theirs = t.slot_of(pe).flags[slot_index(t)];
  const std::uint64_t present = t.flag;
  std::uint64_t seen = theirs.sequence.load(std::memory_order_acquire);
  if (seen != present) {
    const wait_info info{.routine = call.routine, .pe = t.world_pe(pe)};
    wait_for(*t.home, info, [&] {
      seen = theirs.sequence.load(std::memory_order_acquire);
      return ((seen ^ present) & flag_number) == 0;
    });
    if (seen != present) other_call(call, pe);
  }
  observe(t, event::received, pe);
  return theirs;
}

// Waits, and returns the payload that PE `pe` has posted. `bytes` is its length.
inline const std::byte* await_payload(const collective_call& call, int pe, std::size_t bytes) {
  await(call, pe);
  return payload_of(call.members, pe, bytes);
}

inline void await_all(const collective_call& call) {
  for (const int pe : others(call.members)) await(call, pe);
}

// ---- tables ---------------------------------------------------------------------------------------------------
//
// A table contains one entry of each PE of a team, contiguous in memory of the team's PE 0. It is for teams whose PEs
// share CPUs: a PE that reads hundreds of entries touches one or two pages, while every flag slot is on its own page.

// The team can use a table with `bytes` bytes for each PE.
inline bool has_table(const team& t, std::size_t bytes) {
  return !t.home->waiting.cpu_for_each && !t.spans && static_cast<std::size_t>(t.n_pes) * bytes <= table_bytes;
}

// The table of the present collective. Two tables alternate, and a collective that uses one ends only after all PEs
// have entered it. So when a PE writes here, all PEs have finished with the previous use of the same table.
inline std::byte* next_table(team& t) {
  if (t.my_pe == 0) t.used_workspace = true;
  return t.workspace_of(0).near.tables[++t.tables % 2];
}

}  // namespace oshen::coll
