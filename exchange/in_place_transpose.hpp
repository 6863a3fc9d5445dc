// A transposition in place: what a PE keeps, where `out` is `in`.
//
// Through staging memory every byte is read and written twice, and each line that is written must
// be fetched first. Here the matrix is cut into chunks that fit a core's cache: in each chunk the
// elements are transposed by way of a scratch that stays there, and whole rows of chunks, blocks of
// some kilobytes, go around the cycles of what is left of the permutation. All that is written was
// read just before. (Cutting the index: Catanzaro, Keller, Garland 2014, and older.)
#pragma once

#include <cstddef>

#include "block_cycles.hpp"
#include "box_copy.hpp"

namespace oshen::exchange {

class in_place_transpose {
 public:
  // For a copy between boxes that are the same bytes in two orders, or in one: then nothing moves.
  // False: they are not, or it is no plain transposition, or there is nothing to gain, since all of
  // it fits the cache or no cut has whole blocks. May throw std::bad_alloc.
  bool form(const oshen_box_t& from, const oshen_box_t& to);

  // Bytes of private memory that run() needs; less than those of the box.
  std::size_t scratch_bytes() const { return chunk_bytes() + blocks_.block(); }

  // The buffer whose offset 0 the boxes count from.
  void run(std::byte* buffer, std::byte* scratch) const;

 private:
  bool cut(const walk& whole, bool rows);
  std::size_t chunk_bytes() const { return chunk_.element * chunk_.extent[0] * chunk_.extent[1]; }
  void transpose_chunks(std::byte* at, std::byte* scratch) const;

  std::size_t offset_ = 0, chunks_ = 0;
  walk chunk_{};              // one chunk, to its scratch
  bool chunks_first_ = true;  // cut by rows: then blocks move; by columns: the other way round
  block_cycles blocks_;
};

}  // namespace oshen::exchange
