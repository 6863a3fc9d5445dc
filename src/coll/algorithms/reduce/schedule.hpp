// Helpers of the schedules of reduce. The schedules work in dest. Operands are combined in the order of PE numbers, so
// that all PEs get the same bits.
#pragma once

#include <algorithm>

#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/virtual_ranks.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// Share `i` of `n` shares of the vector with nearly equal lengths.
inline element_range even_share(const collective_call& call, int i, int n) {
  const std::size_t shares = static_cast<std::size_t>(n), at = static_cast<std::size_t>(i);
  const std::size_t length = call.elements / shares, rest = call.elements % shares;
  const std::size_t first = at * length + std::min(at, rest);
  return {first, length + (at < rest ? 1 : 0)};
}
// Shares `from` to `to` - 1 together.
inline element_range even_shares(const collective_call& call, int from, int to, int n) {
  const std::size_t first = even_share(call, from, n).first;
  return {first, to < n ? even_share(call, to, n).first - first : call.elements - first};
}

inline char* dest_of(const collective_call& call, const element_range& range) {
  return call.dest + range.first * call.element_bytes;
}

template <class Protocol>
void fold_in(const collective_call& call, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.rank < 0)
    protocol.exchange(fold_step, {f.other(), call.dest, call.elements}, {});
  else
    protocol.exchange(fold_step, {}, {f.other(), call.dest, call.elements});
}

template <class Protocol>
void fold_out(const collective_call& call, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.rank >= 0)
    protocol.send(f.other(), unfold_step, call.dest, call.dest, call.bytes());
  else
    protocol.receive(f.other(), unfold_step, call.dest, call.bytes());
}

// Recursive doubling in dest, over the PEs of `f`: in round r, PEs at distance 2^r exchange and combine.
template <class Protocol>
void double_up(const collective_call& call, const fold& f, Protocol& protocol) {
  fold_in(call, f, protocol);
  if (f.rank >= 0)
    for (int round = 0; 1 << round < f.power; ++round) {
      const int partner = f.pe_at(f.rank ^ 1 << round);
      protocol.exchange_in_place(round, partner, partner, call.dest, call.elements);
    }
  fold_out(call, f, protocol);
}

}  // namespace oshen::coll
