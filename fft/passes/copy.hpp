// Copies of three-dimensional blocks between arrays of different strides.
#pragma once

#include <cstddef>

#include "fft/geometry/box.hpp"

namespace oshen::fft {

// Element (i, j, k) is at index * stride, in bytes; axes in any order.
struct block_copy {
  axes3 size{};
  strides3 from{};
  strides3 to{};
};

// A block copy whose axes are sorted and whose contiguous rows are merged.
struct prepared_copy {
  block_copy block;
  std::size_t row = 0;      // bytes of a row that is contiguous on both sides; 0: a transposition, in tiles
  std::size_t element = 0;  // bytes
};

// `element` is 4, 8 or 16 bytes.
prepared_copy prepare_copy(block_copy block, std::size_t element);

// Copies from + block to to + block; the two must not overlap.
void copy(const prepared_copy& prepared, const std::byte* from, std::byte* to);

// The same with non-temporal stores if the machine has them and rows are long: whole lines of `to` are not fetched
// before they are overwritten, and evict nothing. Other PEs may read the data after stream_fence() and a fence for
// ordinary stores.
void stream(const prepared_copy& prepared, const std::byte* from, std::byte* to);
void stream_fence();

#if defined(__x86_64__)
inline constexpr bool can_stream = true;
#else
inline constexpr bool can_stream = false;
#endif

}  // namespace oshen::fft
