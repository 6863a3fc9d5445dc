// What the schedules of alltoall and alltoalls share: rounds in each of which a PE sends to one PE and hears one.
#pragma once

#include <algorithm>

#include "coll/algorithms/rows.hpp"

namespace oshen::coll {

// Rounds that have a step of the cells each.
inline constexpr int rounds_together = 28;

// Calls `exchange(to, from, step)` for every other PE, one further round the team in each round. So partners change,
// and a cell may be used again only when nobody is still in the round that used it: after so many rounds all meet.
template <class Protocol, class Exchange>
void for_pairs(const task& job, Protocol& protocol, Exchange exchange) {
  team& t = job.members;
  for (int round = 1; round < t.n_pes; ++round) {
    const int step = (round - 1) % rounds_together;
    if (step == 0 && round > 1) {
      protocol.settle();
      sync_team(t, job.routine);
    }
    exchange(after(t, round), after(t, t.n_pes - round), step);
  }
}

// The block of PE `pe` in an array with one for each.
inline std::size_t block_at(const task& job, int pe) { return static_cast<std::size_t>(pe) * job.bytes(); }

inline void copy_own_block(const task& job) {
  const std::size_t own = block_at(job, job.members.my_pe);
  memcpy(job.dest + own, job.source + own, job.bytes());
}

// `steps` messages follow one another; every PE receives n - 1 blocks.
template <class Protocol>
double alltoall_cost(const setting& s, double steps) {
  return protocol_cost<Protocol>(s, steps, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

inline constexpr const char* bruck_paper =
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in "
    "multiport message-passing systems, IEEE TPDS 8(11), 1997, doi:10.1109/71.642949";
inline constexpr const char* thakur_paper =
    "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
    "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521";

}  // namespace oshen::coll
