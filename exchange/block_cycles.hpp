// Blocks of equal size that change places like the elements of a matrix that is transposed, in
// place: each is read once and written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oshen::exchange {

class block_cycles {
 public:
  // `rows` x `columns` blocks of `bytes`. May throw std::bad_alloc.
  void form(std::size_t rows, std::size_t columns, std::size_t bytes);
  std::size_t block() const { return block_; }
  // `spare` has room for one block.
  void move(std::byte* at, std::byte* spare) const;

 private:
  std::size_t block_ = 0;
  std::vector<std::uint32_t> places_;  // each written from the next, cycle after cycle
  std::vector<std::uint32_t> ends_;    // of each cycle in places_
};

}  // namespace oshen::exchange
