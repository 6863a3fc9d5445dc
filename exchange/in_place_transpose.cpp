#include "in_place_transpose.hpp"

#include <algorithm>
#include <cstring>

#include "sizes.hpp"

namespace oshen::exchange {
namespace {

// Whether a walk turns a matrix of `rows` x `columns` into its transpose at the same place.
bool is_transposition(const walk& w) {
  const std::size_t rows = w.extent[0], columns = w.extent[1];
  return w.extent[2] == 1 && rows > 1 && columns > 1 && w.to[0] == w.element &&
         w.to[1] == rows * w.element && w.from[1] == w.element && w.from[0] == columns * w.element;
}

// The largest part of a side that divides it, so that chunks are small and blocks large enough; 0
// when there is none. `other` are the bytes of the other side.
std::size_t part_of(std::size_t side, std::size_t element, std::size_t other) {
  for (std::size_t part = std::min(side / 2, most_of_piece / other); part * element >= least_block;
       part--) {
    if (side % part == 0) return part;
  }
  return 0;
}

walk transposition(std::size_t element, std::size_t rows, std::size_t columns) {
  return {
      element, {rows, columns, 1}, {columns * element, element, 0}, {element, rows * element, 0}};
}

}  // namespace

bool in_place_transpose::form(const oshen_box_t& from, const oshen_box_t& to) {
  const walk w = transfer_walk(from, to);
  if (from.offset != to.offset) return false;
  if (std::equal(w.from, w.from + 3, w.to)) return true;  // nothing moves
  if (!is_transposition(w)) return false;
  if (w.element * w.extent[0] * w.extent[1] <= most_of_piece) return false;
  offset_ = from.offset;
  const bool rows = w.extent[0] >= w.extent[1];  // the longer side first
  return cut(w, rows) || cut(w, !rows);
}

bool in_place_transpose::cut(const walk& whole, bool rows) {
  const std::size_t element = whole.element, r = whole.extent[0], c = whole.extent[1];
  const std::size_t side = rows ? r : c, other = rows ? c : r;
  const std::size_t part = part_of(side, element, other * element);
  if (part == 0) return false;
  chunks_first_ = rows;
  chunks_ = side / part;
  chunk_ = rows ? transposition(element, part, c) : transposition(element, r, part);
  if (rows) {
    blocks_.form(chunks_, other, part * element);
  } else {
    blocks_.form(other, chunks_, part * element);
  }
  return true;
}

void in_place_transpose::run(std::byte* buffer, std::byte* scratch) const {
  std::byte* at = buffer + offset_;
  if (chunks_first_) transpose_chunks(at, scratch);
  blocks_.move(at, scratch + chunk_bytes());
  if (!chunks_first_) transpose_chunks(at, scratch);
}

void in_place_transpose::transpose_chunks(std::byte* at, std::byte* scratch) const {
  const std::size_t bytes = chunk_bytes();
  for (std::size_t i = 0; i < chunks_; i++, at += bytes) {
    walk_through(chunk_, at, scratch);
    std::memcpy(at, scratch, bytes);
  }
}

}  // namespace oshen::exchange
