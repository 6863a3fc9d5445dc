// Contributions to a collect differ in size. Every PE posts its count before the algorithm is chosen, so that all
// choose by the same number: that of the largest contribution. What fits travels with the count; of the rest the place
// does, since a PE that gives nothing may not have a source.
#pragma once

#include "coll/protocol/small_allgather.hpp"

namespace oshen::coll {

// What PE `pe` gives, in elements; once it has posted.
inline std::size_t count_of(const task& job, int pe) {
  const team& t = job.members;
  if (pe == t.my_pe) return job.elements;
  if (!t.spans) [[likely]] return t.slot_of(pe).flags[line_of(t)].word;
  std::uint64_t count = 0;
  memcpy(&count, remote_contribution(t, pe, sizeof count), sizeof count);
  return count;
}

inline char* slice_of(const team& t) { return reinterpret_cast<char*>(t.ctx.control); }

// Where the contribution of PE `pe` is, as an address in this PE's slice; teams that span nodes have no use for it.
inline const char* source_of(const task& job, int pe) {
  const team& t = job.members;
  if (t.spans) return nullptr;
  if (count_of(job, pe) * job.element_bytes <= flag_payload)
    return reinterpret_cast<const char*>(t.own_slot().flags[line_of(t)].payload);
  std::uint64_t offset = 0;
  memcpy(&offset, t.slot_of(pe).flags[line_of(t)].payload, sizeof offset);
  return slice_of(t) + offset;
}

// Tells this PE's count and waits for those of all. Returns the largest contribution in bytes.
inline std::size_t exchange_counts(const task& job) {
  team& t = job.members;
  if (t.spans) {
    const std::uint64_t mine = job.elements;
    allgather_remote(job, &mine, sizeof mine);
  } else if (job.bytes() <= flag_payload) {
    post(t, job.elements, job.source, job.bytes());
  } else {
    const auto offset = static_cast<std::uint64_t>(job.source - slice_of(t));
    post(t, job.elements, &offset, sizeof offset);
  }
  if (!t.spans) await_all(job);
  std::size_t largest = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) largest = count_of(job, pe) > largest ? count_of(job, pe) : largest;
  return largest * job.element_bytes;
}

}  // namespace oshen::coll
