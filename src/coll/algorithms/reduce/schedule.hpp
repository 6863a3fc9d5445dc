// Helpers of the schedules of reduce. The schedules work in dest. Operands are combined in the order of PE numbers, so
// that all PEs get the same bits.
#pragma once

#include <algorithm>

#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {

// Segment `i` of `n` segments of the vector with nearly equal lengths, in elements.
struct stretch {
  std::size_t first;
  std::size_t elements;
};
inline stretch stretch_of(const collective_call& call, int i, int n) {
  const std::size_t parts = static_cast<std::size_t>(n), at = static_cast<std::size_t>(i);
  const std::size_t share = call.elements / parts, rest = call.elements % parts;
  const std::size_t first = at * share + std::min(at, rest);
  return {first, share + (at < rest ? 1 : 0)};
}
// Segments `from` to `to` - 1 together.
inline stretch stretch_of(const collective_call& call, int from, int to, int n) {
  const std::size_t first = stretch_of(call, from, n).first;
  return {first, to < n ? stretch_of(call, to, n).first - first : call.elements - first};
}

inline char* place_of(const collective_call& call, const stretch& s) {
  return call.dest + s.first * call.element_bytes;
}

template <class Protocol>
void fold_in(const collective_call& call, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.place < 0)
    protocol.exchange(fold_step, {f.other(), call.dest, call.elements}, {});
  else
    protocol.exchange(fold_step, {}, {f.other(), call.dest, call.elements});
}

template <class Protocol>
void fold_out(const collective_call& call, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.place >= 0)
    protocol.send(f.other(), unfold_step, call.dest, call.dest, call.bytes());
  else
    protocol.receive(f.other(), unfold_step, call.dest, call.bytes());
}

// Recursive doubling in dest, over the PEs of `f`: in round r, PEs at distance 2^r exchange and combine.
template <class Protocol>
void double_up(const collective_call& call, const fold& f, Protocol& protocol) {
  fold_in(call, f, protocol);
  if (f.place >= 0)
    for (int round = 0; 1 << round < f.power; ++round) {
      const int partner = f.pe_at(f.place ^ 1 << round);
      protocol.exchange_in_place(round, partner, partner, call.dest, call.elements);
    }
  fold_out(call, f, protocol);
}

}  // namespace oshen::coll
