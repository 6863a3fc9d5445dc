// What the schedules share in which every PE has something for every other: alltoall, alltoalls, collect and fcollect.
#pragma once

#include "coll/algorithms/rows.hpp"

namespace oshen::coll {

// `steps` messages follow one another; every PE receives n - 1 blocks, each so many times.
template <class Protocol>
double all_pairs_cost(const setting& s, double steps, double times = 1) {
  return protocol_cost<Protocol>(s, steps, times * (s.n_pes - 1));
}

// Messages to all are under way at the same time; between nodes what counts is how many messages there are.
template <class Protocol>
double all_at_once_cost(const setting& s) {
  const double peers = s.n_pes - 1;
  if (s.spans) return flagged_across(s, 1, peers, peers * static_cast<double>(s.bytes));
  return all_pairs_cost<Protocol>(s, 1) + lines(s, s.n_pes);
}

}  // namespace oshen::coll
