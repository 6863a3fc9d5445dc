// Helpers of the `inline` algorithms, in which PEs post their data with a flag and other PEs read it there.
#pragma once

#include "coll/select/cost.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// Copies the blocks of all PEs, of `bytes` bytes each, into dest in the order of the team. This PE's own block is in
// source; each other block is copied when its PE has posted it.
inline void collect_posted(const collective_call& call, std::size_t bytes) {
  team& t = call.members;
  memmove(call.dest + static_cast<std::size_t>(t.my_pe) * bytes, call.source, bytes);
  for (const int pe : others(t))
    memcpy(call.dest + static_cast<std::size_t>(pe) * bytes, await_payload(call, pe, bytes), bytes);
}

// Combines into `sum` the vectors that the PEs before `end` have posted, in the order of PE numbers. Each has `bytes`
// bytes, and `end` is at least 1. `end` is a reference because the compiler would otherwise keep it in a register, and
// save and restore that register even for a small sum.
inline void combine_posted(const collective_call& call, const int& end, std::size_t bytes, std::byte* sum) {
  memcpy(sum, await_payload(call, 0, bytes), bytes);
  for (int pe = 1; pe < end; ++pe) call.combine(sum, await_payload(call, pe, bytes), call.elements);
}

// One PE reads `posts` flag slots of other PEs, with `payload` bytes each. The first 48 bytes arrive with the flag. If
// each PE has a CPU, the reader waits for the remaining cache lines one after the other, which takes longer than to
// write them. If PEs share a CPU, the lines are in its cache.
inline double inline_cost(const team_shape& s, std::size_t payload, int posts) {
  if (payload > long_payload_bytes) return impossible;
  const double rest = payload > 48 ? static_cast<double>(payload - 48) : 0;
  const double reading = s.cpu_for_each ? lines(s, 0.6 * rest / cache_line) : copies(s, rest);
  // A PE that posts also reads every wake flag. If each PE has a CPU, no other PE waits for that.
  return steps(s, 1) + lines(s, (s.cpu_for_each ? 1 : 2) * (posts - 1)) + posts * reading;
}

// Only the root waits, for the payloads of all PEs.
inline double root_inline_cost(const team_shape& s) {
  const auto b = static_cast<double>(s.bytes);
  if (s.bytes > long_payload_bytes) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b) + copies_alone(s, b * s.n_pes);
}

}  // namespace oshen::coll
