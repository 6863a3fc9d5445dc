// What the schedules of reductions share. They work in dest; combining keeps the order of PE numbers, so that all
// PEs get the same bits.
#pragma once

#include <algorithm>

#include "coll/algorithms/rows.hpp"
#include "coll/protocol/fold.hpp"

namespace oshen::coll {

// Part `i` of `n` nearly equal parts of the vector, in elements.
struct stretch {
  std::size_t first;
  std::size_t elements;
};
inline stretch stretch_of(const task& job, int i, int n) {
  const std::size_t parts = static_cast<std::size_t>(n), at = static_cast<std::size_t>(i);
  const std::size_t share = job.elements / parts, rest = job.elements % parts;
  const std::size_t first = at * share + std::min(at, rest);
  return {first, share + (at < rest ? 1 : 0)};
}
// Parts `from` to `to` - 1 together.
inline stretch stretch_of(const task& job, int from, int to, int n) {
  const std::size_t first = stretch_of(job, from, n).first;
  return {first, to < n ? stretch_of(job, to, n).first - first : job.elements - first};
}

inline char* place_of(const task& job, const stretch& s) { return job.dest + s.first * job.element_bytes; }

template <class Protocol>
void fold_in(const task& job, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.place < 0)
    protocol.pass(f.other(), -1, fold_step, job.dest, job.elements, nullptr, 0);
  else
    protocol.pass(-1, f.other(), fold_step, nullptr, 0, job.dest, job.elements);
}

template <class Protocol>
void fold_out(const task& job, const fold& f, Protocol& protocol) {
  if (!f.folded()) return;
  if (f.place >= 0)
    protocol.send(f.other(), unfold_step, job.dest, job.dest, job.bytes());
  else
    protocol.receive(f.other(), unfold_step, job.dest, job.bytes());
}

// Recursive doubling with what dest holds, over the PEs of `f`: in round r each works with the PE 2^r away.
template <class Protocol>
void double_up(const task& job, const fold& f, Protocol& protocol) {
  fold_in(job, f, protocol);
  if (f.place >= 0)
    for (int round = 0; 1 << round < f.power; ++round) {
      const int partner = f.pe_at(f.place ^ 1 << round);
      protocol.trade(partner, partner, round, job.dest, job.elements);
    }
  fold_out(job, f, protocol);
}

}  // namespace oshen::coll
