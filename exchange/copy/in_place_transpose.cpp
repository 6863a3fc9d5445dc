#include "exchange/copy/in_place_transpose.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/copy/block_cycles.hpp"

namespace oshen::exchange {
namespace {

// Whether a copy transposes a matrix of `rows` x `columns` onto itself.
bool is_transposition(const strided_copy& w) {
  const std::size_t rows = w.extent[0], columns = w.extent[1];
  return w.extent[2] == 1 && rows > 1 && columns > 1 && w.to[0] == w.element && w.to[1] == rows * w.element &&
         w.from[1] == w.element && w.from[0] == columns * w.element;
}

// The largest divisor of a side such that chunks fit the cache and blocks are large enough; 0 if there is none.
// `other` is the size of the other side in bytes.
std::size_t chunk_extent(std::size_t side, std::size_t element, std::size_t other) {
  for (std::size_t extent = std::min(side / 2, max_chunk_bytes / other); extent * element >= min_block_bytes;
       extent--) {
    if (side % extent == 0) return extent;
  }
  return 0;
}

strided_copy transposition(std::size_t element, std::size_t rows, std::size_t columns) {
  return {element, {rows, columns, 1}, {columns * element, element, 0}, {element, rows * element, 0}};
}

}  // namespace

bool in_place_transpose::init(const oshen_box_t& from, const oshen_box_t& to) {
  const strided_copy w = copy_between(from, to);
  if (from.offset != to.offset) return false;
  if (std::equal(w.from, w.from + 3, w.to)) return true;  // nothing moves
  if (!is_transposition(w)) return false;
  if (w.element * w.extent[0] * w.extent[1] <= max_chunk_bytes) return false;
  offset_ = from.offset;
  const bool by_rows = w.extent[0] >= w.extent[1];  // try the longer side first
  return split(w, by_rows) || split(w, !by_rows);
}

bool in_place_transpose::split(const strided_copy& whole, bool by_rows) {
  const std::size_t element = whole.element, r = whole.extent[0], c = whole.extent[1];
  const std::size_t side = by_rows ? r : c, other = by_rows ? c : r;
  const std::size_t extent = chunk_extent(side, element, other * element);
  if (extent == 0) return false;
  chunks_first_ = by_rows;
  chunks_ = side / extent;
  chunk_ = by_rows ? transposition(element, extent, c) : transposition(element, r, extent);
  if (by_rows) {
    blocks_.init(chunks_, other, extent * element);
  } else {
    blocks_.init(other, chunks_, extent * element);
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
    execute(chunk_, at, scratch);
    std::memcpy(at, scratch, bytes);
  }
}

}  // namespace oshen::exchange
