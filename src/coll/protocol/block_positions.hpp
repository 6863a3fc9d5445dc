// Positions of blocks of different lengths. A PE tells each peer where the block for that peer begins, and how long it
// is. The positions are posted in flag slots, which do not grow with the team; a large team needs several rounds.
#pragma once

#include <algorithm>

#include "coll/call/sequence.hpp"
#include "coll/protocol/step_slots.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "op/call_site.hpp"

namespace oshen::coll {

// In elements.
struct block_position {
  std::uint64_t first;
  std::uint64_t elements;
};

inline constexpr int max_positions = static_cast<int>(long_payload_bytes / sizeof(block_position));

// The PEs whose positions are posted in one round.
struct position_round {
  int begin;
  int end;

  bool serves(int pe) const { return begin <= pe && pe < end; }
  std::size_t bytes() const { return static_cast<std::size_t>(end - begin) * sizeof(block_position); }
};

inline constexpr int positions_per_round = static_cast<int>(long_payload_bytes / sizeof(block_position));

// Calls body(round) for all rounds, on every PE. Each round counts as a collective, so it has flag slots of its own.
template <class Body>
void for_each_round(const collective_call& call, Body body) {
  team& t = call.members;
  constexpr int step = positions_per_round;
  for (int begin = 0; begin < t.n_pes; begin += step) {
    if (begin != 0) begin_round(t, call.routine);
    body(position_round{begin, std::min(begin + step, t.n_pes)});
  }
}

inline void post_positions(const collective_call& call, position_round r, const block_table& b,
                           std::uint64_t note = 0) {
  block_position payload[max_positions];
  for (int pe = r.begin; pe < r.end; ++pe) payload[pe - r.begin] = {b.first[pe], b.counts[pe]};
  post(call.members, note, payload, r.bytes());
}

// The position for this PE in a payload of round `r`.
inline block_position own_position(const collective_call& call, position_round r, const std::byte* payload) {
  block_position mine;
  memcpy(&mine, payload + static_cast<std::size_t>(call.members.my_pe - r.begin) * sizeof(block_position), sizeof mine);
  return mine;
}

// Waits for the position that PE `pe` posts for this PE; only in the round that serves this PE.
inline block_position await_position(const collective_call& call, position_round r, int pe) {
  return own_position(call, r, await_payload(call, pe, r.bytes()));
}

// Ends the job with an error line if the two ends of a block have different lengths.
inline void check_length(const collective_call& call, const char* argument, std::size_t ours, int pe,
                         std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument(site_of(call), "%s = %zu: PE %d of the team gives %zu for the same block", argument, ours, pe,
                     theirs);
}
inline void check_length(const collective_call& call, const char* argument, int index, std::size_t ours,
                         std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument(site_of(call), "%s[%d] = %zu: PE %d of the team gives %zu for the same block", argument, index,
                     ours, index, theirs);
}

// alltoallv: copies this PE's block for itself.
inline void copy_own_block(const collective_call& call) {
  const int me = call.members.my_pe;
  const std::size_t size = call.element_bytes, elements = call.into.counts[me];
  check_length(call, "dest_counts", me, elements, call.from.counts[me]);
  if (elements == 0) return;
  memcpy(call.dest + call.into.first[me] * size, call.source + call.from.first[me] * size, elements * size);
}

// ---- on teams that span nodes -------------------------------------------------------------------------------
//
// PEs of other nodes cannot read a flag slot. Positions for them are put into their step slots or bounce buffers.

inline constexpr int max_remote_positions = static_cast<int>(bounce_bytes / sizeof(block_position));

// Sends a position to PE `pe` in the step slot of step 0; receives one there.
inline void send_position(const step_slots& c, int pe, const block_position& p) {
  c.send(pe, 0, 1, &p, nullptr, sizeof p);
}
inline block_position receive_position(const step_slots& c, int pe) {
  block_position p;
  c.receive(pe, 0, 1, reinterpret_cast<char*>(&p), sizeof p);
  return p;
}

// The position that PE `pe` has put into this PE's bounce buffer.
inline block_position& position_from(const team& t, int pe) {
  return reinterpret_cast<block_position*>(t.own_workspace().bounce)[pe];
}

}  // namespace oshen::coll
