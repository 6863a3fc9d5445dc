// Telling each peer where a block of its own lies, and how long it is: in the flag slots, which need no memory that
// grows with the team. A team larger than one flag slot can serve takes several rounds of them.
#pragma once

#include <algorithm>

#include "coll/protocol/peer_memory.hpp"
#include "op/call_site.hpp"

namespace oshen::coll {

// In elements.
struct block_position {
  std::uint64_t first;
  std::uint64_t elements;
};

inline constexpr int max_positions = static_cast<int>(long_payload_bytes / sizeof(block_position));

// The PEs whose positions one flag slot carries.
struct position_round {
  int begin;
  int end;

  bool serves(int pe) const { return begin <= pe && pe < end; }
  std::size_t bytes() const { return static_cast<std::size_t>(end - begin) * sizeof(block_position); }
};

inline int positions_per_round(const team& t) {
  return static_cast<int>((t.slot < max_workspaces ? long_payload_bytes : flag_payload) / sizeof(block_position));
}

// Calls body(round) on every PE for all rounds alike. Each has the flag slots of a collective of its own.
template <class Body>
void for_each_round(const task& job, Body body) {
  team& t = job.members;
  const int step = positions_per_round(t);
  for (int begin = 0; begin < t.n_pes; begin += step) {
    if (begin != 0) begin_collective(t, job.routine);
    body(position_round{begin, std::min(begin + step, t.n_pes)});
  }
}

inline void post_positions(const task& job, position_round r, const block_table& b) {
  block_position payload[max_positions];
  for (int pe = r.begin; pe < r.end; ++pe) payload[pe - r.begin] = {b.first[pe], b.elements[pe]};
  post(job.members, 0, payload, r.bytes());
}

// This PE's entry in a payload of round `r`.
inline block_position own_position(const task& job, position_round r, const std::byte* payload) {
  block_position mine;
  memcpy(&mine, payload + static_cast<std::size_t>(job.members.my_pe - r.begin) * sizeof(block_position), sizeof mine);
  return mine;
}

// What PE `pe` has posted for this one; only in the round that serves it.
inline block_position await_position(const task& job, position_round r, int pe) {
  return own_position(job, r, await_payload(job, pe, r.bytes()));
}

// Both ends of a block have given its length.
inline void check_length(const task& job, const char* argument, std::size_t ours, int pe, std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument({&job.members.ctx, job.routine}, "%s = %zu: PE %d of the team gives %zu for the same block",
                     argument, ours, pe, theirs);
}
inline void check_length(const task& job, const char* argument, int index, std::size_t ours, std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument({&job.members.ctx, job.routine}, "%s[%d] = %zu: PE %d of the team gives %zu for the same block",
                     argument, index, ours, index, theirs);
}

// alltoallv: this PE's own block.
inline void copy_own_block(const task& job) {
  const int me = job.members.my_pe;
  const std::size_t size = job.element_bytes, elements = job.into.elements[me];
  check_length(job, "dest_counts", me, elements, job.from.elements[me]);
  if (elements == 0) return;
  memcpy(job.dest + job.into.first[me] * size, job.source + job.from.first[me] * size, elements * size);
}

}  // namespace oshen::coll
