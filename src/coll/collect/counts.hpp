// Contributions to a collect differ in size. Every PE posts its count before the algorithm is chosen, so that all
// choose by the same number: that of the largest contribution. What fits travels with the count; of the rest the place
// does, since a PE that gives nothing may not have a source.
#pragma once

#include "coll/reach.hpp"

namespace oshen::coll {

// What PE `pe` gives, in elements; once it has posted.
inline std::size_t count_of(const task& job, int pe) {
  const team& t = job.members;
  return pe == t.my_pe ? job.elements : t.slot_of(pe).board[line_of(t)].word;
}

inline char* slice_of(const team& t) { return reinterpret_cast<char*>(t.reach.control); }

// Where the contribution of PE `pe` is, as an address in this PE's slice.
inline const char* source_of(const task& job, int pe) {
  const team& t = job.members;
  if (count_of(job, pe) * job.element_bytes <= bulletin_payload)
    return reinterpret_cast<const char*>(t.own_slot().board[line_of(t)].payload);
  std::uint64_t place = 0;
  memcpy(&place, t.slot_of(pe).board[line_of(t)].payload, sizeof place);
  return slice_of(t) + place;
}

// Tells this PE's count and waits for those of all. Returns the largest contribution in bytes.
inline std::size_t exchange_counts(const task& job) {
  team& t = job.members;
  if (job.bytes() <= bulletin_payload) {
    post(t, job.elements, job.source, job.bytes());
  } else {
    const auto place = static_cast<std::uint64_t>(job.source - slice_of(t));
    post(t, job.elements, &place, sizeof place);
  }
  await_all(job);
  std::size_t largest = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) largest = count_of(job, pe) > largest ? count_of(job, pe) : largest;
  return largest * job.element_bytes;
}

}  // namespace oshen::coll
