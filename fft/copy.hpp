// Copies of three-dimensional blocks between arrays of different strides.
#pragma once

#include <cstddef>

#include "box.hpp"

namespace oshen::fft {

// Element (i, j, k) is at index * stride, in bytes; axes in any order.
struct block_copy {
  axes3 size{};
  strides3 from{};
  strides3 to{};
};

// from + block -> to + block; the two do not overlap. Elements of 4, 8 or 16 bytes. Runs that are
// contiguous on both sides are moved as a whole; transpositions go in tiles.
void copy_block(block_copy block, std::size_t element, const std::byte* from, std::byte* to);

}  // namespace oshen::fft
