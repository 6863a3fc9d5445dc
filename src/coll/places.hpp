// Telling each peer where a block of its own lies, and how long it is: in the bulletins, which need no memory that grows
// with the team. A team larger than one bulletin can serve takes several rounds of them.
#pragma once

#include <algorithm>

#include "coll/reach.hpp"
#include "op/site.hpp"

namespace oshen::coll {

// In elements.
struct place {
  std::uint64_t first;
  std::uint64_t elements;
};

inline constexpr int most_places = static_cast<int>(placard_bytes / sizeof(place));

// The PEs whose places one bulletin carries.
struct place_round {
  int begin;
  int end;

  bool serves(int pe) const { return begin <= pe && pe < end; }
  std::size_t bytes() const { return static_cast<std::size_t>(end - begin) * sizeof(place); }
};

inline int places_per_round(const team& t) {
  return static_cast<int>((t.slot < rooms ? placard_bytes : bulletin_payload) / sizeof(place));
}

// Calls body(round) on every PE for all rounds alike. Each has the bulletins of a collective of its own.
template <class Body>
void for_each_round(const task& job, Body body) {
  team& t = job.members;
  const int step = places_per_round(t);
  for (int begin = 0; begin < t.n_pes; begin += step) {
    if (begin != 0) begin_collective(t, job.routine);
    body(place_round{begin, std::min(begin + step, t.n_pes)});
  }
}

inline void post_places(const task& job, place_round r, const block_table& b) {
  place letter[most_places];
  for (int pe = r.begin; pe < r.end; ++pe) letter[pe - r.begin] = {b.first[pe], b.elements[pe]};
  post(job.members, 0, letter, r.bytes());
}

// This PE's entry in a letter of round `r`.
inline place own_place(const task& job, place_round r, const std::byte* letter) {
  place mine;
  memcpy(&mine, letter + static_cast<std::size_t>(job.members.my_pe - r.begin) * sizeof(place), sizeof mine);
  return mine;
}

// What PE `pe` has posted for this one; only in the round that serves it.
inline place await_place(const task& job, place_round r, int pe) {
  return own_place(job, r, await_payload(job, pe, r.bytes()));
}

// Both ends of a block have given its length.
inline void check_length(const task& job, const char* argument, std::size_t ours, int pe, std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument({&job.members.reach, job.routine}, "%s = %zu: PE %d of the team gives %zu for the same block",
                     argument, ours, pe, theirs);
}
inline void check_length(const task& job, const char* argument, int index, std::size_t ours, std::size_t theirs) {
  if (ours != theirs) [[unlikely]]
    op::bad_argument({&job.members.reach, job.routine}, "%s[%d] = %zu: PE %d of the team gives %zu for the same block",
                     argument, index, ours, index, theirs);
}

}  // namespace oshen::coll
