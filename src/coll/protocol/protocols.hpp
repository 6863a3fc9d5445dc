// The three protocols, and what they cost.
#pragma once

#include "coll/protocol/message.hpp"
#include "coll/protocol/pull.hpp"
#include "coll/protocol/put.hpp"
#include "coll/select/cost.hpp"

namespace oshen::coll {

// What a message of a protocol costs, from the sender's call to the receiver's return, with a CPU for each PE: so many
// cache lines that go from CPU to CPU, and each byte so many times a copied one. Where PEs share CPUs, what counts is
// how many more turns it takes until all have settled.
struct protocol_price {
  double lines;
  double copies;
  double switches_to_settle;
};
template <class Protocol>
inline constexpr protocol_price price_of{1.8, 1.1, 1.2};
template <>
inline constexpr protocol_price price_of<message_protocol>{3.5, 1.2, 1.5};
template <>
inline constexpr protocol_price price_of<pull_protocol>{2.4, 0.9, 2};

// `messages` that follow one another and carry this PE's contribution so many `times` in all. Where PEs share CPUs each
// step waits for the other PEs. Between nodes all that counts is what goes over the link: the bytes, and their flags.
template <class Protocol>
double protocol_cost(const team_shape& s, double messages, double times) {
  if (!s.workspace) return impossible;
  const double bytes = times * static_cast<double>(s.bytes);
  if (s.spans) return flagged_network_cost(s, messages, messages, bytes);
  constexpr protocol_price price = price_of<Protocol>;
  const double in_a_row = s.cpu_for_each ? messages * price.lines : messages + price.switches_to_settle;
  return steps(s, in_a_row) + copies(s, bytes * price.copies);
}

// The root hears or serves all others, one after the other.
template <class Protocol>
double rooted_cost(const team_shape& s, double times = 1) {
  return protocol_cost<Protocol>(s, s.n_pes - 1, times * (s.n_pes - 1));
}

// The same where nobody waits for a turn: between nodes all blocks are under way at the same time. Each takes two
// messages, its bytes and a flag, and as many more where PEs must be told of it.
template <class Protocol>
double root_at_once_cost(const team_shape& s, double steps = 1, double messages = 2) {
  if (!s.workspace || !s.spans) return rooted_cost<Protocol>(s);
  const double far = s.n_pes - s.domain;
  return network_cost(s, steps, messages * far, far * static_cast<double>(s.bytes));
}

// A message in each of log2(n) rounds.
template <class Protocol>
double logarithmic_cost(const team_shape& s, double times = 1) {
  return protocol_cost<Protocol>(s, rounds(s), times * rounds(s));
}

// Every PE has something for every other: alltoall, alltoalls, collect and fcollect.

// `steps` messages follow one another; every PE receives n - 1 blocks, each so many times.
template <class Protocol>
double all_pairs_cost(const team_shape& s, double steps, double times = 1) {
  return protocol_cost<Protocol>(s, steps, times * (s.n_pes - 1));
}

// Messages to all are under way at the same time; between nodes what counts is how many messages there are.
template <class Protocol>
double all_at_once_cost(const team_shape& s) {
  const double peers = s.n_pes - 1;
  if (s.spans) return flagged_network_cost(s, 1, peers, peers * static_cast<double>(s.bytes));
  return all_pairs_cost<Protocol>(s, 1) + lines(s, s.n_pes);
}

}  // namespace oshen::coll
