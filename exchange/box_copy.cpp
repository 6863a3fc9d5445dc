#include "box_copy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace oshen::exchange {
namespace {

enum class direction { gather, scatter };

// Elements on each side of a tile of a transposition. 8 x 8 elements of 16 bytes touch 16 cache
// lines on the strided side and stay below the associativity of a first-level cache when the stride
// is a power of two.
constexpr std::size_t tile = 8;

// One move of a fixed size compiles to loads and stores; a run of unknown length is left to memcpy.
template <std::size_t Bytes>
struct fixed {
  static constexpr std::size_t size() { return Bytes; }
};
struct any {
  std::size_t bytes;
  std::size_t size() const { return bytes; }
};

template <direction Way, class Size>
void move(const std::byte* from, std::byte* to, std::ptrdiff_t memory, std::ptrdiff_t wire,
          Size size) {
  if constexpr (Way == direction::gather) {
    std::memcpy(to + wire, from + memory, size.size());
  } else {
    std::memcpy(to + memory, from + wire, size.size());
  }
}

std::ptrdiff_t at(std::size_t index, std::size_t stride) {
  return static_cast<std::ptrdiff_t>(index * stride);
}

// A box seen from both sides: along axis a, memory advances by memory[a], the wire by wire[a].
struct walk {
  std::size_t extent[3];
  std::size_t memory[3];
  std::size_t wire[3];
};

walk walk_of(const oshen_box_t& box) {
  walk w{};
  std::size_t step = box.element;
  for (int a = 0; a < 3; a++) {
    w.extent[a] = box.extent[a];
    w.memory[a] = box.stride[a];
    w.wire[a] = step;
    step *= box.extent[a];
  }
  return w;
}

// Axis 0 is innermost. Used when it is contiguous in memory as well, or when no axis is.
template <direction Way, class Size>
void rows(const walk& w, const std::byte* from, std::byte* to, Size size) {
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t b = 0; b < w.extent[1]; b++) {
      std::ptrdiff_t memory = at(c, w.memory[2]) + at(b, w.memory[1]);
      std::ptrdiff_t wire = at(c, w.wire[2]) + at(b, w.wire[1]);
      for (std::size_t a = 0; a < w.extent[0]; a++) {
        move<Way>(from, to, memory + at(a, w.memory[0]), wire + at(a, w.wire[0]), size);
      }
    }
  }
}

template <direction Way, class Size>
void one_tile(const walk& w, const std::byte* from, std::byte* to, std::size_t a_end,
              std::size_t b_end, Size size) {
  for (std::size_t b = 0; b < b_end; b++) {
    for (std::size_t a = 0; a < a_end; a++) {
      move<Way>(from, to, at(a, w.memory[0]) + at(b, w.memory[1]),
                at(a, w.wire[0]) + at(b, w.wire[1]), size);
    }
  }
}

// Axis 0 is contiguous on the wire, axis 1 in memory: tiles, so that both sides use whole cache
// lines.
template <direction Way, class Size>
void tiles(const walk& w, const std::byte* from, std::byte* to, Size size) {
  const bool to_memory = Way == direction::scatter;
  for (std::size_t c = 0; c < w.extent[2]; c++) {
    for (std::size_t b = 0; b < w.extent[1]; b += tile) {
      for (std::size_t a = 0; a < w.extent[0]; a += tile) {
        const std::ptrdiff_t memory = at(c, w.memory[2]) + at(b, w.memory[1]) + at(a, w.memory[0]);
        const std::ptrdiff_t wire = at(c, w.wire[2]) + at(b, w.wire[1]) + at(a, w.wire[0]);
        const std::size_t a_end = std::min(tile, w.extent[0] - a),
                          b_end = std::min(tile, w.extent[1] - b);
        one_tile<Way>(w, from + (to_memory ? wire : memory), to + (to_memory ? memory : wire),
                      a_end, b_end, size);
      }
    }
  }
}

template <direction Way, class Size>
void copy(walk w, const std::byte* from, std::byte* to, Size size) {
  if (w.memory[0] != size.size()) {
    for (int a = 1; a < 3; a++) {
      if (w.memory[a] != size.size() || w.extent[a] < 2) continue;
      std::swap(w.extent[1], w.extent[a]);
      std::swap(w.memory[1], w.memory[a]);
      std::swap(w.wire[1], w.wire[a]);
      return tiles<Way>(w, from, to, size);
    }
  }
  rows<Way>(w, from, to, size);
}

template <direction Way>
void copy(const oshen_box_t& box, const std::byte* from, std::byte* to) {
  const walk w = walk_of(box);
  switch (box.element) {
    case 4:
      return copy<Way>(w, from, to, fixed<4>{});
    case 8:
      return copy<Way>(w, from, to, fixed<8>{});
    case 16:
      return copy<Way>(w, from, to, fixed<16>{});
    default:
      return copy<Way>(w, from, to, any{box.element});
  }
}

}  // namespace

std::size_t volume(const oshen_box_t& box) {
  return box.extent[0] * box.extent[1] * box.extent[2];
}

oshen_box_t simplified(oshen_box_t box) {
  if (volume(box) == 0) return box;
  oshen_box_t out = box;
  std::fill_n(out.extent, 3, std::size_t{1});
  std::fill_n(out.stride, 3, std::size_t{0});
  int axes = 0;
  for (int a = 0; a < 3; a++) {
    if (box.extent[a] == 1) continue;
    if (axes == 0 && box.stride[a] == out.element) {
      out.element *= box.extent[a];  // one longer run
    } else if (axes > 0 && box.stride[a] == out.extent[axes - 1] * out.stride[axes - 1]) {
      out.extent[axes - 1] *= box.extent[a];
    } else {
      out.extent[axes] = box.extent[a];
      out.stride[axes++] = box.stride[a];
    }
  }
  return out;
}

void gather(const oshen_box_t& box, const std::byte* base, std::byte* wire) {
  if (volume(box) != 0) copy<direction::gather>(box, base + box.offset, wire);
}

void scatter(const oshen_box_t& box, const std::byte* wire, std::byte* base) {
  if (volume(box) != 0) copy<direction::scatter>(box, wire, base + box.offset);
}

}  // namespace oshen::exchange
