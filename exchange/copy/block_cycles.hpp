// Permutes blocks of equal size in place, as the elements of a matrix move when it is transposed. Each block is read
// once and written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oshen::exchange {

// Remaps in place (chunked_remap.hpp, in_place_transpose.hpp) work on chunks of at most this size, so that a chunk and
// its result fit a core's second-level cache together.
inline constexpr std::size_t max_chunk_bytes = std::size_t{512} << 10;
// They move blocks of at least this size, which are worth a memcpy.
inline constexpr std::size_t min_block_bytes = 1024;

class block_cycles {
 public:
  // For `rows` x `columns` blocks of `bytes`. May throw std::bad_alloc.
  void init(std::size_t rows, std::size_t columns, std::size_t bytes);
  std::size_t block() const { return block_; }
  // `spare` has room for one block.
  void move(std::byte* at, std::byte* spare) const;

 private:
  std::size_t block_ = 0;
  std::vector<std::uint32_t> positions_;  // each is written from the next, cycle after cycle
  std::vector<std::uint32_t> ends_;       // of each cycle in positions_
};

}  // namespace oshen::exchange
