// What the schedules of alltoall and alltoalls share: rounds in each of which a PE sends to one PE and hears one.
#pragma once

#include <algorithm>

#include "coll/algorithms/rows.hpp"

namespace oshen::coll {

// Rounds that have a step of the cells each.
inline constexpr int rounds_together = 28;

// Calls `exchange(to, from, step)` for every other PE. Partners change from round to round, so a cell may be used again
// only when nobody is still in the round that used it: after so many rounds all meet.
template <class Protocol, class To, class From, class Exchange>
void for_rounds(const task& job, Protocol& protocol, To to, From from, Exchange exchange) {
  for (int round = 1; round < job.members.n_pes; ++round) {
    const int step = (round - 1) % rounds_together;
    if (step == 0 && round > 1) {
      protocol.settle();
      sync_team(job.members, job.routine);
    }
    exchange(to(round), from(round), step);
  }
}

// The ring distance grows by one from round to round.
template <class Protocol, class Exchange>
void for_pairs(const task& job, Protocol& protocol, Exchange exchange) {
  const team& t = job.members;
  for_rounds(
      job, protocol, [&](int round) { return after(t, round); }, [&](int round) { return after(t, t.n_pes - round); },
      exchange);
}

// The block of PE `pe` in an array with one for each.
inline std::size_t block_at(const task& job, int pe) { return static_cast<std::size_t>(pe) * job.bytes(); }

inline void copy_own_block(const task& job) {
  const std::size_t own = block_at(job, job.members.my_pe);
  memcpy(job.dest + own, job.source + own, job.bytes());
}

// Sends this PE's block for `to`, receives the block from `from`.
template <class Protocol>
void exchange_blocks(const task& job, Protocol& protocol, int to, int from, int step) {
  protocol.send(to, step, job.source + block_at(job, to), job.dest + block_at(job, job.members.my_pe), job.bytes());
  protocol.receive(from, step, job.dest + block_at(job, from), job.bytes());
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
