// Copies between a box in a user's buffer and the wire, where its elements lie one after another,
// and from a box straight to a box.
#pragma once

#include <cstddef>

#include "oshen/exchange.h"

namespace oshen::exchange {

// Elements of the box; what travels is this many times box.element bytes.
std::size_t volume(const oshen_box_t& box);

// The box as it lies on the wire: no gaps, in the order of the axes.
oshen_box_t dense(const oshen_box_t& box);

// Whether the elements of two boxes correspond one to one, so that one can be copied to the other
// without a wire.
bool same_shape(const oshen_box_t& a, const oshen_box_t& b);

// A copy of a box seen from both sides: along axis a the source advances by from[a] bytes, the
// target by to[a].
struct walk {
  std::size_t element;
  std::size_t extent[3];
  std::size_t from[3];
  std::size_t to[3];
};

// The same copy with as few and as long runs as possible: axes that continue one another on both
// sides are merged, axes of extent 1 dropped, the rest sorted so that the target is written in
// sequence.
walk joined(walk w);

// from + box -> wire, wire -> to + box, from + box -> to + box of the same shape. The two sides
// must not overlap.
void gather(const oshen_box_t& box, const std::byte* from, std::byte* wire);
void scatter(const oshen_box_t& box, const std::byte* wire, std::byte* to);
void transfer(const oshen_box_t& from_box, const std::byte* from, const oshen_box_t& to_box,
              std::byte* to);

// A copy given as a walk, as joined() makes it.
void walk_through(const walk& w, const std::byte* from, std::byte* to);

// The copies as lists of runs that are contiguous on both sides, for those who move them by puts.
walk gather_walk(const oshen_box_t& box);
walk transfer_walk(const oshen_box_t& from_box, const oshen_box_t& to_box);
template <class Visit>  // visit(offset in source, offset in target, bytes)
void for_each_run(const walk& w, Visit visit) {
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t b = 0; b < w.extent[1]; b++) {
      for (std::size_t a = 0; a < w.extent[0]; a++) {
        visit(a * w.from[0] + b * w.from[1] + c * w.from[2],
              a * w.to[0] + b * w.to[1] + c * w.to[2], w.element);
      }
    }
  }
}

// The order of axes in which this box lies in memory, fastest first, as a number; and a box with
// its axes in that order. 0: as listed.
unsigned memory_order(const oshen_box_t& box);
oshen_box_t reordered(const oshen_box_t& box, unsigned order);

}  // namespace oshen::exchange
