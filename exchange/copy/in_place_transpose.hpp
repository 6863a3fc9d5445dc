// A transposition in place, for messages of a PE to itself where `out` is `in`.
//
// Through staging memory every byte would be read and written twice, and each written line fetched first. Here the
// matrix is cut into chunks that fit a core's cache. Each chunk is transposed by way of a scratch buffer that stays in
// the cache. Then rows of chunks, blocks of some kilobytes, move along the cycles of the remaining permutation. Every
// line that is written was read just before. The idea of cutting the index: Catanzaro, Keller, Garland 2014, and older
// work.
#pragma once

#include <cstddef>

#include "exchange/copy/block_cycles.hpp"
#include "exchange/copy/box_copy.hpp"

namespace oshen::exchange {

class in_place_transpose {
 public:
  // For a copy between boxes that hold the same bytes in different axis orders, or in the same order, in which case
  // nothing moves. Returns false if it is not a plain transposition, if everything fits the cache, or if no cut has
  // whole blocks. May throw std::bad_alloc.
  bool init(const oshen_box_t& from, const oshen_box_t& to);

  // Bytes of private memory that run() needs; less than those of the box.
  std::size_t scratch_bytes() const { return chunk_bytes() + blocks_.block(); }

  // `buffer` is the address from which the offsets of the boxes count.
  void run(std::byte* buffer, std::byte* scratch) const;

 private:
  bool split(const strided_copy& whole, bool by_rows);
  std::size_t chunk_bytes() const { return chunk_.element * chunk_.extent[0] * chunk_.extent[1]; }
  void transpose_chunks(std::byte* at, std::byte* scratch) const;

  std::size_t offset_ = 0, chunks_ = 0;
  strided_copy chunk_{};      // copies one chunk to the scratch buffer
  bool chunks_first_ = true;  // cut by rows: transpose chunks, then move blocks; by columns: the reverse
  block_cycles blocks_;
};

}  // namespace oshen::exchange
