// Rabenseifner's schedule: PEs exchange and combine halves of the vector, then halves of halves, until each PE has the
// result of its own share. Then the shares are gathered in the reverse order. Without folding, each PE combines fewer
// elements than the vector has.
#pragma once

#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {

inline constexpr int gather_steps = 14;  // the steps below are for the halving

// The shares of the vector that a PE works on: [first, end), of `power` shares.
struct halving_window {
  int first = 0;
  int end;
};

template <class Protocol>
halving_window halve(const collective_call& call, const fold& f, Protocol& protocol) {
  halving_window mine{.end = f.power};
  int step = 0;
  for (int distance = f.power / 2; distance > 0; distance /= 2, ++step) {
    const int partner = f.pe_at(f.rank ^ distance), middle = (mine.first + mine.end) / 2;
    const bool lower = (f.rank & distance) == 0;
    const element_range low = even_shares(call, mine.first, middle, f.power);
    const element_range high = even_shares(call, middle, mine.end, f.power);
    const element_range &keep = lower ? low : high, &give = lower ? high : low;
    protocol.exchange(step, {partner, dest_of(call, give), give.elements},
                      {partner, dest_of(call, keep), keep.elements});
    (lower ? mine.end : mine.first) = middle;
  }
  return mine;
}

template <class Protocol>
void gather_halves(const collective_call& call, const fold& f, Protocol& protocol, halving_window mine) {
  int step = gather_steps;
  for (int distance = 1; distance < f.power; distance *= 2, ++step) {
    const int partner = f.pe_at(f.rank ^ distance), width = mine.end - mine.first;
    const bool lower = (f.rank & distance) == 0;
    const int begin = lower ? mine.end : mine.first - width;
    const halving_window theirs{.first = begin, .end = begin + width};
    const element_range give = even_shares(call, mine.first, mine.end, f.power);
    const element_range want = even_shares(call, theirs.first, theirs.end, f.power);
    protocol.send(partner, step, dest_of(call, give), dest_of(call, give), give.elements * call.element_bytes);
    protocol.receive(partner, step, dest_of(call, want), want.elements * call.element_bytes);
    mine = {std::min(mine.first, theirs.first), std::max(mine.end, theirs.end)};
  }
}

// gather_halves() overwrites shares that a partner may still read in place (pull), or that may still wait to be sent
// (messages). So the protocol settles between the two phases.
template <class Protocol>
void halve_and_gather(const collective_call& call, const fold& f, Protocol& protocol) {
  fold_in(call, f, protocol);
  if (f.rank >= 0) {
    const halving_window mine = halve(call, f, protocol);
    protocol.settle();
    gather_halves(call, f, protocol, mine);
  }
  fold_out(call, f, protocol);
}

template <class Protocol>
double halving_cost(const team_shape& s) {
  return protocol_cost<Protocol>(s, 2 * rounds(s) + 2, s.spans ? 2 : 5) +
         credit_network_cost(s, rounds(s), static_cast<double>(s.bytes));
}

}  // namespace oshen::coll
