#include "exchange/copy/box_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace oshen::exchange {
namespace {

// Elements on each side of a tile of a transposition. 8 x 8 elements of 16 bytes touch 16 cache lines on the strided
// side. That is below the associativity of a first-level cache when the stride is a power of two.
constexpr std::size_t tile = 8;
// Elements of the target's contiguous axis that are copied together. The copy_rows of the source that they come from
// stay in the caches and in the TLB until they are used up.
constexpr std::size_t strip = 128;

// A dispatch of fixed size compiles to loads and stores; one of variable size calls memcpy.
template <std::size_t Bytes>
struct fixed {
  static constexpr std::size_t size() { return Bytes; }
};
struct variable {
  std::size_t bytes;
  std::size_t size() const { return bytes; }
};

template <class Size>
void copy_rows(const strided_copy& w, const std::byte* from, std::byte* to, Size size) {
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t b = 0; b < w.extent[1]; b++) {
      const std::byte* source = from + c * w.from[2] + b * w.from[1];
      std::byte* target = to + c * w.to[2] + b * w.to[1];
      for (std::size_t a = 0; a < w.extent[0]; a++) {
        std::memcpy(target, source, size.size());
        source += w.from[0];
        target += w.to[0];
      }
    }
  }
}

// In a tile, axis 0 is contiguous in the target and axis 1 in the source.
template <class Size>
void copy_partial_tile(const strided_copy& w, const std::byte* from, std::byte* to, std::size_t a_end,
                       std::size_t b_end, Size size) {
  for (std::size_t b = 0; b < b_end; b++) {
    for (std::size_t a = 0; a < a_end; a++) {
      std::memcpy(to + a * size.size() + b * w.to[1], from + a * w.from[0] + b * size.size(), size.size());
    }
  }
}

// A whole tile, whose loops the compiler unrolls.
template <class Size>
void copy_whole_tile(const strided_copy& w, const std::byte* from, std::byte* to, Size size) {
  const std::size_t from_step = w.from[0], to_step = w.to[1];
  for (std::size_t b = 0; b < tile; b++) {
    const std::byte* source = from + b * size.size();
    for (std::size_t a = 0; a < tile; a++) {
      std::memcpy(to + a * size.size(), source, size.size());
      source += from_step;
    }
    to += to_step;
  }
}

// Transposes pairs of 8-byte elements in registers, with half as many loads and stores.
void copy_whole_tile(const strided_copy& w, const std::byte* from, std::byte* to, fixed<8>) {
  using pair = std::uint64_t __attribute__((vector_size(16)));
  for (std::size_t a = 0; a < tile; a += 2) {
    const std::byte* source = from + a * w.from[0];
    std::byte* target = to + a * 8;
    for (std::size_t b = 0; b < tile; b += 2) {
      pair first, second;
      std::memcpy(&first, source + b * 8, 16);
      std::memcpy(&second, source + w.from[0] + b * 8, 16);
      const pair low{first[0], second[0]}, high{first[1], second[1]};
      std::memcpy(target + b * w.to[1], &low, 16);
      std::memcpy(target + (b + 1) * w.to[1], &high, 16);
    }
  }
}

// Copies in copy_tiles, so that both sides use whole cache lines.
template <class Size>
void copy_strip(const strided_copy& w, const std::byte* from, std::byte* to, std::size_t a_extent, Size size) {
  for (std::size_t b = 0; b < w.extent[1]; b += tile) {
    const std::size_t b_end = std::min(tile, w.extent[1] - b);
    for (std::size_t a = 0; a < a_extent; a += tile) {
      const std::byte* source = from + b * size.size() + a * w.from[0];
      std::byte* target = to + b * w.to[1] + a * size.size();
      const std::size_t a_end = std::min(tile, a_extent - a);
      if (a_end == tile && b_end == tile)
        copy_whole_tile(w, source, target, size);
      else
        copy_partial_tile(w, source, target, a_end, b_end, size);
    }
  }
}

template <class Size>
void copy_tiles(const strided_copy& w, const std::byte* from, std::byte* to, Size size) {
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t a = 0; a < w.extent[0]; a += strip) {
      copy_strip(w, from + c * w.from[2] + a * w.from[0], to + c * w.to[2] + a * size.size(),
                 std::min(strip, w.extent[0] - a), size);
    }
  }
}

template <class Size>
void dispatch(strided_copy w, const std::byte* from, std::byte* to, Size size) {
  const bool transposed = w.to[0] == w.element && w.from[0] != w.element;
  for (int a = 1; transposed && a < 3; a++) {
    if (w.from[a] != w.element || w.extent[a] < 2) continue;
    std::swap(w.extent[1], w.extent[a]);
    std::swap(w.from[1], w.from[a]);
    std::swap(w.to[1], w.to[a]);
    return copy_tiles(w, from, to, size);
  }
  copy_rows(w, from, to, size);
}

constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

}  // namespace

std::size_t volume(const oshen_box_t& box) { return box.extent[0] * box.extent[1] * box.extent[2]; }

oshen_box_t dense(const oshen_box_t& box) {
  oshen_box_t wire = box;
  wire.offset = 0;
  std::size_t step = box.element;
  for (int a = 0; a < 3; a++) {
    wire.stride[a] = step;
    step *= box.extent[a];
  }
  return wire;
}

bool same_shape(const oshen_box_t& a, const oshen_box_t& b) {
  return a.element == b.element && std::equal(a.extent, a.extent + 3, b.extent);
}

strided_copy merged(strided_copy w) {
  int order[3] = {0, 1, 2};
  std::stable_sort(order, order + 3, [&](int a, int b) { return w.to[a] < w.to[b]; });
  strided_copy out{w.element, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  int axes = 0;
  for (const int a : order) {
    const std::size_t extent = w.extent[a], from = w.from[a], to = w.to[a];
    if (extent == 1) continue;
    const int last = axes - 1;
    if (axes == 0 && from == out.element && to == out.element) {
      out.element *= extent;  // one longer block
    } else if (axes > 0 && from == out.extent[last] * out.from[last] && to == out.extent[last] * out.to[last]) {
      out.extent[last] *= extent;
    } else {
      out.extent[axes] = extent;
      out.from[axes] = from;
      out.to[axes++] = to;
    }
  }
  return out;
}

strided_copy copy_between(const oshen_box_t& from_box, const oshen_box_t& to_box) {
  strided_copy w{from_box.element, {}, {}, {}};
  std::copy_n(from_box.extent, 3, w.extent);
  std::copy_n(from_box.stride, 3, w.from);
  std::copy_n(to_box.stride, 3, w.to);
  return merged(w);
}

strided_copy copy_to_wire(const oshen_box_t& box) { return copy_between(box, dense(box)); }

void gather(const oshen_box_t& box, const std::byte* from, std::byte* wire) { transfer(box, from, dense(box), wire); }

void scatter(const oshen_box_t& box, const std::byte* wire, std::byte* to) { transfer(dense(box), wire, box, to); }

void transfer(const oshen_box_t& from_box, const std::byte* from, const oshen_box_t& to_box, std::byte* to) {
  if (volume(from_box) == 0) return;
  execute(copy_between(from_box, to_box), from + from_box.offset, to + to_box.offset);
}

void execute(const strided_copy& w, const std::byte* from, std::byte* to) {
  switch (w.element) {
    case 4: return dispatch(w, from, to, fixed<4>{});
    case 8: return dispatch(w, from, to, fixed<8>{});
    case 16: return dispatch(w, from, to, fixed<16>{});
    default: return dispatch(w, from, to, variable{w.element});
  }
}

unsigned memory_order(const oshen_box_t& box) {
  unsigned best = 0;
  for (unsigned order = 1; order < 6; order++) {
    const auto strides_of = [&](unsigned o) {
      return std::pair{std::pair{box.stride[orders[o][0]], box.stride[orders[o][1]]}, box.stride[orders[o][2]]};
    };
    if (strides_of(order) < strides_of(best)) best = order;
  }
  return best;
}

oshen_box_t reordered(const oshen_box_t& box, unsigned order) {
  oshen_box_t out = box;
  for (int a = 0; a < 3; a++) {
    out.extent[a] = box.extent[orders[order][a]];
    out.stride[a] = box.stride[orders[order][a]];
  }
  return out;
}

}  // namespace oshen::exchange
