// Copies between a box in a user's buffer and the wire, where its elements lie one after another, and from a box
// straight to a box.
#pragma once

#include <cstddef>

#include "oshen/exchange.h"

namespace oshen::exchange {

// The number of elements of the box. On the wire it takes this many times box.element bytes.
std::size_t volume(const oshen_box_t& box);

// The box as it lies on the wire: without gaps, in the order of the axes.
oshen_box_t dense(const oshen_box_t& box);

// Whether the elements of two boxes correspond one to one, so that one can be copied to the other directly.
bool same_shape(const oshen_box_t& a, const oshen_box_t& b);

// A copy of a box as a loop nest: along axis a the source advances by from[a] bytes and the target by to[a].
struct strided_copy {
  std::size_t element;
  std::size_t extent[3];
  std::size_t from[3];
  std::size_t to[3];
};

// The same copy with as few and as long blocks as possible. Axes that continue one another on both sides are merged,
// and axes of extent 1 dropped. The others are sorted so that the target is written in sequence.
strided_copy merged(strided_copy w);

// from + box -> wire, wire -> to + box, and from + box -> to + box of the same shape. The two sides must not overlap.
void gather(const oshen_box_t& box, const std::byte* from, std::byte* wire);
void scatter(const oshen_box_t& box, const std::byte* wire, std::byte* to);
void transfer(const oshen_box_t& from_box, const std::byte* from, const oshen_box_t& to_box, std::byte* to);

// Executes a copy that merged() returned.
void execute(const strided_copy& w, const std::byte* from, std::byte* to);

// The copies as blocks that are contiguous on both sides, for strategies that put each block.
strided_copy copy_to_wire(const oshen_box_t& box);
strided_copy copy_between(const oshen_box_t& from_box, const oshen_box_t& to_box);
template <class Visit>  // visit(offset in source, offset in target, bytes)
void for_each_block(const strided_copy& w, Visit visit) {
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t b = 0; b < w.extent[1]; b++) {
      for (std::size_t a = 0; a < w.extent[0]; a++) {
        visit(a * w.from[0] + b * w.from[1] + c * w.from[2], a * w.to[0] + b * w.to[1] + c * w.to[2], w.element);
      }
    }
  }
}

// memory_order() is the order of axes in which this box lies in memory, fastest first, as a number; 0 is the order
// listed. reordered() is the box with its axes in that order.
unsigned memory_order(const oshen_box_t& box);
oshen_box_t reordered(const oshen_box_t& box, unsigned order);

}  // namespace oshen::exchange
