// A remap that is cut into chunks, which can be exchanged one after another in place.
//
// Chunk k of K is the k-th part of `in`, cut along the axis that is slowest there, so it is one contiguous block. The
// data that a PE receives in exchange for its chunk k fills the same block again, laid out like `out` with 1/K of the
// cut axis. After the last chunk, blocks move to their final positions. So no chunk waits for another, and nothing has
// to be copied out of the way.
//
// Requirements: the boxes have no gaps, every PE has the same bytes before and after, and K divides the cut axis on all
// PEs. Remaps between pencils in an FFT meet them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exchange/copy/block_cycles.hpp"
#include "exchange/copy/box_copy.hpp"

namespace oshen::exchange {

struct chunk_limits {
  std::size_t most = max_chunk_bytes, least_block = min_block_bytes;
};

class chunked_remap {
 public:
  // The model checker lowers them, so that arrays of a few bytes have several chunks.
  static inline chunk_limits limits;

  // `in` and `out` are all boxes that a PE sends and receives in one field, including those to itself. Returns the
  // possible numbers of chunks, from 1 to 64, as a set: bit K - 1 for K. If chunks of the usual size are impossible,
  // the set has the largest number only, if chunks are up to four times as large then.
  std::uint64_t possible(std::span<const oshen_box_t> in, std::span<const oshen_box_t> out);
  // The axis that is cut, as boxes list their axes.
  int axis() const { return axis_; }

  // Sets the number of chunks to one of the possible numbers, the same on all PEs. May throw std::bad_alloc.
  void split(std::size_t chunks);
  std::size_t chunks() const { return chunks_; }

  // Chunk k of a box of `in`, of `out` or on the wire.
  oshen_box_t chunk_of(const oshen_box_t& box, std::size_t k) const;
  // Where chunk k of a box of `out` lies until all chunks have arrived.
  oshen_box_t landing_box(const oshen_box_t& box, std::size_t k) const;
  // Moves everything to its final position. `spare` has room for 1/K of the bytes.
  void finish(std::byte* buffer, std::byte* spare) const;

 private:
  // The block without gaps that a list of boxes covers.
  struct dense_block {
    std::size_t low, bytes;  // in the buffer
    std::size_t stride[3];   // of each axis
    std::size_t extent[3];
    int order[3];  // axes, fastest first
    bool init(std::span<const oshen_box_t> boxes);
    std::size_t start_of(const oshen_box_t& box, int axis) const;
  };

  std::size_t chunks_ = 1;
  std::size_t box_extent_ = 0;  // extent of each box of `out` along the axis
  int axis_ = 0;
  dense_block out_{};
  block_cycles blocks_;
};

}  // namespace oshen::exchange
