#include "fft/passes/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace oshen::fft {
namespace {

constexpr std::size_t longest_short_row = 256;  // bytes
constexpr std::size_t cache_line = 64;
constexpr int tile = 8;  // 8 x 8 elements of 16 bytes: 16 cache lines on each side

void swap_axes(block_copy& b, int x, int y) {
  std::swap(b.size[x], b.size[y]);
  std::swap(b.from[x], b.from[y]);
  std::swap(b.to[x], b.to[y]);
}

// Sorts the axes by the target's stride. Axes of one element go last, because their stride does not matter.
void sort_by_target(block_copy& b) {
  const auto rank = [&](int a) { return b.size[a] == 1 ? PTRDIFF_MAX : b.to[a]; };
  for (int pass = 0; pass < 2; pass++) {
    for (int a = 0; a < 2; a++) {
      if (rank(a + 1) < rank(a)) swap_axes(b, a, a + 1);
    }
  }
}

// Axis 0 is contiguous on both sides. Makes rows longer if the next axes continue them.
std::size_t merge_rows(block_copy& b, std::size_t bytes) {
  std::size_t row = bytes * static_cast<std::size_t>(b.size[0]);
  b.size[0] = 1;
  for (int a = 1; a < 3; a++) {
    const auto whole = static_cast<std::ptrdiff_t>(row);
    if (b.size[a] != 1 && (b.from[a] != whole || b.to[a] != whole)) break;
    row *= static_cast<std::size_t>(b.size[a]);
    b.size[a] = 1;
  }
  return row;
}

// Copies short rows in loops without calls.
template <std::size_t Step>
void copy_short_rows(const block_copy& b, std::size_t row, const std::byte* from, std::byte* to) {
  for (int k = 0; k < b.size[2]; k++) {
    for (int j = 0; j < b.size[1]; j++) {
      const std::byte* f = from + k * b.from[2] + j * b.from[1];
      std::byte* t = to + k * b.to[2] + j * b.to[1];
      for (std::size_t i = 0; i < row; i += Step) std::memcpy(t + i, f + i, Step);
    }
  }
}

void copy_rows(const block_copy& b, std::size_t row, const std::byte* from, std::byte* to) {
  if (row <= longest_short_row && row % cache_line == 0) return copy_short_rows<cache_line>(b, row, from, to);
  if (row <= longest_short_row && row % 16 == 0) return copy_short_rows<16>(b, row, from, to);
  for (int k = 0; k < b.size[2]; k++) {
    for (int j = 0; j < b.size[1]; j++) {
      std::memcpy(to + k * b.to[2] + j * b.to[1], from + k * b.from[2] + j * b.from[1], row);
    }
  }
}

#if defined(__x86_64__)
// Streams whole cache lines, 16 bytes at a time, which every x86-64 can do. Larger steps were no faster.
void stream_lines(const std::byte* from, std::byte* to, std::size_t bytes) {
  const auto at = [](const std::byte* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  for (std::size_t i = 0; i < bytes; i += cache_line) {
    const __m128i a = at(from + i), b = at(from + i + 16), c = at(from + i + 32), d = at(from + i + 48);
    auto* line = reinterpret_cast<__m128i*>(to + i);
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
  }
}

void stream_row(const std::byte* from, std::byte* to, std::size_t row) {
  const std::size_t head = (cache_line - reinterpret_cast<std::uintptr_t>(to) % cache_line) % cache_line;
  if (row < head + cache_line) return static_cast<void>(std::memcpy(to, from, row));
  const std::size_t lines = (row - head) / cache_line * cache_line, tail = row - head - lines;
  std::memcpy(to, from, head);
  stream_lines(from + head, to + head, lines);
  std::memcpy(to + head + lines, from + head + lines, tail);
}
#endif

template <std::size_t Bytes>
void copy_tile(const block_copy& b, int rows, int columns, const std::byte* from, std::byte* to) {
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < columns; i++) {
      std::memcpy(to + j * b.to[1] + i * b.to[0], from + j * b.from[1] + i * b.from[0], Bytes);
    }
  }
}

// Axis 0 is the fastest of the target, axis 1 of the source.
template <std::size_t Bytes>
void copy_tiles(const block_copy& b, const std::byte* from, std::byte* to) {
  for (int k = 0; k < b.size[2]; k++) {
    for (int j = 0; j < b.size[1]; j += tile) {
      for (int i = 0; i < b.size[0]; i += tile) {
        copy_tile<Bytes>(b, std::min(tile, b.size[1] - j), std::min(tile, b.size[0] - i),
                         from + k * b.from[2] + j * b.from[1] + i * b.from[0],
                         to + k * b.to[2] + j * b.to[1] + i * b.to[0]);
      }
    }
  }
}

}  // namespace

prepared_copy prepare_copy(block_copy b, std::size_t element) {
  sort_by_target(b);
  const auto step = static_cast<std::ptrdiff_t>(element);
  if (b.size[0] == 1 || (b.from[0] == step && b.to[0] == step)) {
    const std::size_t row = merge_rows(b, element);
    return {b, row, element};
  }
  if (b.size[2] != 1 && b.from[2] < b.from[1]) swap_axes(b, 1, 2);
  return {b, 0, element};
}

void copy(const prepared_copy& prepared, const std::byte* from, std::byte* to) {
  if (prepared.row != 0) return copy_rows(prepared.block, prepared.row, from, to);
  if (prepared.element == 4) return copy_tiles<4>(prepared.block, from, to);
  if (prepared.element == 8) return copy_tiles<8>(prepared.block, from, to);
  copy_tiles<16>(prepared.block, from, to);
}

#if defined(__x86_64__)
void stream(const prepared_copy& prepared, const std::byte* from, std::byte* to) {
  if (prepared.row < cache_line) return copy(prepared, from, to);
  const block_copy& b = prepared.block;
  for (int k = 0; k < b.size[2]; k++) {
    for (int j = 0; j < b.size[1]; j++)
      stream_row(from + k * b.from[2] + j * b.from[1], to + k * b.to[2] + j * b.to[1], prepared.row);
  }
}

void stream_fence() { _mm_sfence(); }
#else
void stream(const prepared_copy& prepared, const std::byte* from, std::byte* to) { copy(prepared, from, to); }

void stream_fence() {}
#endif

}  // namespace oshen::fft
