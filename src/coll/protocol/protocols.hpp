// The three protocols and their costs.
#pragma once

#include "coll/protocol/message.hpp"
#include "coll/protocol/pull.hpp"
#include "coll/protocol/put.hpp"
#include "coll/select/cost.hpp"

namespace oshen::coll {

// The cost of a message of a protocol, from the sender's call to the receiver's return.
struct protocol_price {
  double lines;               // If each PE has a CPU: the cache lines that move between CPUs.
  double copies;              // The number of copies of each byte.
  double switches_to_settle;  // If PEs share CPUs: additional switches until all PEs have settled.
};
template <class Protocol>
inline constexpr protocol_price price_of{1.8, 1.1, 1.2};
template <>
inline constexpr protocol_price price_of<message_protocol>{3.5, 1.2, 1.5};
template <>
inline constexpr protocol_price price_of<pull_protocol>{2.4, 0.9, 2};

// The cost of `messages` messages in sequence, which together carry a PE's contribution `times` times. If PEs share
// CPUs, each step waits for the other PEs. Between nodes only the traffic on the link counts: the bytes and their
// flags.
template <class Protocol>
double protocol_cost(const team_shape& s, double messages, double times) {
  const double bytes = times * static_cast<double>(s.bytes);
  if (s.spans) return flagged_network_cost(s, messages, messages, bytes);
  constexpr protocol_price price = price_of<Protocol>;
  const double in_a_row = s.cpu_for_each ? messages * price.lines : messages + price.switches_to_settle;
  return steps(s, in_a_row) + copies(s, bytes * price.copies);
}

// The root receives from all other PEs, or sends to them, in sequence.
template <class Protocol>
double rooted_cost(const team_shape& s, double times = 1) {
  return protocol_cost<Protocol>(s, s.n_pes - 1, times * (s.n_pes - 1));
}

// The same, except that between nodes all blocks are under way at the same time. Each block takes two messages, its
// bytes and a flag, and more of them if PEs must be notified first.
template <class Protocol>
double root_at_once_cost(const team_shape& s, double steps = 1, double messages = 2) {
  if (!s.spans) return rooted_cost<Protocol>(s);
  const double far = s.n_pes - s.domain;
  return network_cost(s, steps, messages * far, far * static_cast<double>(s.bytes));
}

// A message in each of log2(n) rounds.
template <class Protocol>
double logarithmic_cost(const team_shape& s, double times = 1) {
  return protocol_cost<Protocol>(s, rounds(s), times * rounds(s));
}

// ---- collectives in which every PE sends to every other: alltoall, alltoalls, collect and fcollect

// `steps` messages in sequence. Every PE receives n - 1 blocks, each of them `times` times.
template <class Protocol>
double all_pairs_cost(const team_shape& s, double steps, double times = 1) {
  return protocol_cost<Protocol>(s, steps, times * (s.n_pes - 1));
}

// Messages to all PEs are under way at the same time. Between nodes their number and bytes count, not their sequence.
template <class Protocol>
double all_at_once_cost(const team_shape& s) {
  const double peers = s.n_pes - 1;
  if (s.spans) return flagged_network_cost(s, 1, peers, peers * static_cast<double>(s.bytes));
  return all_pairs_cost<Protocol>(s, 1) + lines(s, s.n_pes);
}

}  // namespace oshen::coll
