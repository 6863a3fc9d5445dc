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

// A block copy made ready: axes sorted, runs that are contiguous on both sides joined.
struct ready_copy {
  block_copy block;
  std::size_t run = 0;      // bytes of a run; 0: a transposition, element by element, in tiles
  std::size_t element = 0;  // bytes
};

// Elements of 4, 8 or 16 bytes.
ready_copy make_ready(block_copy block, std::size_t element);

// from + block -> to + block; the two do not overlap.
void copy(const ready_copy& how, const std::byte* from, std::byte* to);

// The same past the caches where the machine can and runs are long: whole lines of `to` are not fetched to be
// overwritten, and push nothing out. Others may look for them after settle(), and what orders ordinary stores.
void stream(const ready_copy& how, const std::byte* from, std::byte* to);
void settle();

#if defined(__x86_64__)
inline constexpr bool can_stream = true;
#else
inline constexpr bool can_stream = false;
#endif

}  // namespace oshen::fft
