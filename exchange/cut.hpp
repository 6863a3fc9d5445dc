// A remap cut into pieces that can be exchanged one after another in place.
//
// Piece k of K is what lies in the k-th part of `in`, cut along the axis that is slowest there: one
// stretch of memory. What every PE gets in exchange for its piece k fills just that stretch again,
// laid out like `out` with a K-th of the cut axis. When all pieces have been exchanged, blocks move
// to their places. So no piece has to wait for another, and nothing has to be kept aside.
//
// That takes blocks without gaps, of which every PE has the same bytes before and after, and a side
// that K divides on all of them: pencils to pencils, as in FFTs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "block_cycles.hpp"
#include "box_copy.hpp"

namespace oshen::exchange {

class cut {
 public:
  // What a PE sends and gets of one field, its own included. Returns in how many pieces of the size
  // of a cache that can be cut: bit K - 1 for K, of 1 to 64.
  std::uint64_t possible(std::span<const oshen_box_t> in, std::span<const oshen_box_t> out);
  // The axis, as boxes list them, that is cut.
  int axis() const { return axis_; }

  // Cuts into so many pieces, one of those that are possible, on all PEs the same. May throw
  // std::bad_alloc.
  void into(std::size_t pieces);
  std::size_t pieces() const { return pieces_; }

  // Piece k of a box, on either side or on the wire.
  oshen_box_t piece_of(const oshen_box_t& box, std::size_t k) const;
  // Where piece k of a box of `out` lies until all have come.
  oshen_box_t place_of(const oshen_box_t& box, std::size_t k) const;
  // Moves everything from there to where it belongs. `spare` has room for a K-th of the bytes.
  void finish(std::byte* buffer, std::byte* spare) const;

 private:
  // A block without gaps that boxes fill or are taken from.
  struct whole {
    std::size_t low, bytes;  // in the buffer
    std::size_t stride[3];   // of each axis
    std::size_t extent[3];
    int order[3];  // axes, fastest first
    bool form(std::span<const oshen_box_t> boxes);
    std::size_t start_of(const oshen_box_t& box, int axis) const;
  };

  std::size_t pieces_ = 1, part_ = 0;  // part: how long what one PE sends is along the axis
  int axis_ = 0;
  whole out_{};
  block_cycles blocks_;
};

}  // namespace oshen::exchange
