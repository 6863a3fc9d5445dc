// What the schedules of reductions share. They work in dest; combining keeps the order of PE numbers, so that all
// PEs get the same bits.
#pragma once

#include <algorithm>

#include "coll/algorithms.hpp"
#include "coll/wire/wires.hpp"

namespace oshen::coll {

inline void source_to_dest(const task& job) {
  if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
}

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

// Teams that are no power of two: of the first 2 * extra PEs the even ones hand their vector to the next one, and
// wait for the result; the others work as a team of a power of two.
struct fold {
  int power = 1;       // PEs that work
  int extra = 0;       // PEs that do not
  int place = -1;      // of this PE among those that work

  explicit fold(const team& t) {
    while (power * 2 <= t.n_pes) power *= 2;
    extra = t.n_pes - power;
    if (t.my_pe >= 2 * extra)
      place = t.my_pe - extra;
    else if (t.my_pe % 2 == 1)
      place = t.my_pe / 2;
  }
  int pe_at(int at) const { return at < extra ? 2 * at + 1 : at + extra; }
};

// Steps of the cells that folding uses.
inline constexpr int fold_step = 28, unfold_step = 29;

template <class Wire>
void fold_in(const task& job, const fold& f, Wire& wire) {
  const team& t = job.members;
  if (t.my_pe >= 2 * f.extra) return;
  if (t.my_pe % 2 == 0)
    wire.pass(t.my_pe + 1, -1, fold_step, job.dest, job.elements, nullptr, 0);
  else
    wire.pass(-1, t.my_pe - 1, fold_step, nullptr, 0, job.dest, job.elements);
}

template <class Wire>
void fold_out(const task& job, const fold& f, Wire& wire) {
  const team& t = job.members;
  if (t.my_pe >= 2 * f.extra) return;
  if (t.my_pe % 2 == 1)
    wire.send(t.my_pe - 1, unfold_step, job.dest, job.dest, job.bytes());
  else
    wire.receive(t.my_pe + 1, unfold_step, job.dest, job.bytes());
}

}  // namespace oshen::coll
