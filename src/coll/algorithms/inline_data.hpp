// What the algorithms `inline` share, in which PEs post their data with a flag, and others read them there.
#pragma once

#include "coll/select/cost.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// Brings the blocks of all, of `bytes` each, into dest in the order of the team: this PE's own from source, the others'
// when they have posted them.
inline void collect_posted(const collective_call& call, std::size_t bytes) {
  team& t = call.members;
  memmove(call.dest + static_cast<std::size_t>(t.my_pe) * bytes, call.source, bytes);
  for (const int pe : others(t))
    memcpy(call.dest + static_cast<std::size_t>(pe) * bytes, await_payload(call, pe, bytes), bytes);
}

// Combines into `sum` the vectors, of `bytes` each, that the PEs before `end`, at least one, have posted, in the order
// of PE numbers. By reference, because a register for `end` would be saved and restored on the way of a small sum.
inline void combine_posted(const collective_call& call, const int& end, std::size_t bytes, std::byte* sum) {
  memcpy(sum, await_payload(call, 0, bytes), bytes);
  for (int pe = 1; pe < end; ++pe) call.combine(sum, await_payload(call, pe, bytes), call.elements);
}

// One PE reads `posts` flag slots of others with `payload` bytes each. The first 48 bytes come with the flag. A CPU
// that waits for the lines of the rest, one after the other, is slower than one that writes as many: those need not be
// waited for. PEs that share a CPU find them in its cache.
inline double inline_cost(const team_shape& s, std::size_t payload, int posts) {
  if (payload > inline_limit(s)) return impossible;
  const double rest = payload > 48 ? static_cast<double>(payload - 48) : 0;
  const double reading = s.cpu_for_each ? lines(s, 0.6 * rest / cache_line) : copies(s, rest);
  // Who posts looks at every wake flag, too; with a CPU for each that is nobody's waiting time.
  return steps(s, 1) + lines(s, (s.cpu_for_each ? 1 : 2) * (posts - 1)) + posts * reading;
}

// The root alone waits, for the payloads of all.
inline double root_inline_cost(const team_shape& s) {
  const auto b = static_cast<double>(s.bytes);
  if (s.bytes > inline_limit(s)) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b) + copies_alone(s, b * s.n_pes);
}

}  // namespace oshen::coll
