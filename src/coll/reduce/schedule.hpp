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
  int me;
  int scale;           // the team may be every so many-th PE only

  fold(int n, int number, int every = 1) : me(number), scale(every) {
    while (power * 2 <= n) power *= 2;
    extra = n - power;
    if (me >= 2 * extra)
      place = me - extra;
    else if (me % 2 == 1)
      place = me / 2;
  }
  int pe_at(int at) const { return (at < extra ? 2 * at + 1 : at + extra) * scale; }
  bool folded() const { return me < 2 * extra; }
  int other() const { return (me ^ 1) * scale; }  // where `folded`: the even one hands over to the odd one
};

// Steps of the cells that folding uses.
inline constexpr int fold_step = 28, unfold_step = 29;

template <class Wire>
void fold_in(const task& job, const fold& f, Wire& wire) {
  if (!f.folded()) return;
  if (f.place < 0)
    wire.pass(f.other(), -1, fold_step, job.dest, job.elements, nullptr, 0);
  else
    wire.pass(-1, f.other(), fold_step, nullptr, 0, job.dest, job.elements);
}

template <class Wire>
void fold_out(const task& job, const fold& f, Wire& wire) {
  if (!f.folded()) return;
  if (f.place >= 0)
    wire.send(f.other(), unfold_step, job.dest, job.dest, job.bytes());
  else
    wire.receive(f.other(), unfold_step, job.dest, job.bytes());
}

}  // namespace oshen::coll
