#include "exchange/copy/block_cycles.hpp"

#include <cstring>

namespace oshen::exchange {

void block_cycles::init(std::size_t rows, std::size_t columns, std::size_t bytes) {
  block_ = bytes;
  positions_.clear();
  ends_.clear();
  const std::size_t n = rows * columns;
  std::vector<bool> seen(n);
  for (std::size_t first = 0; first < n; first++) {
    const std::size_t begin = positions_.size();
    for (std::size_t position = first; !seen[position]; position = position % rows * columns + position / rows) {
      seen[position] = true;
      positions_.push_back(static_cast<std::uint32_t>(position));
    }
    if (positions_.size() < begin + 2) {
      positions_.resize(begin);  // does not move, or is part of an earlier cycle
    } else {
      ends_.push_back(static_cast<std::uint32_t>(positions_.size()));
    }
  }
}

void block_cycles::move(std::byte* at, std::byte* spare) const {
  std::size_t i = 0;
  for (const std::size_t end : ends_) {
    std::memcpy(spare, at + positions_[i] * block_, block_);
    for (; i + 1 < end; i++) std::memcpy(at + positions_[i] * block_, at + positions_[i + 1] * block_, block_);
    std::memcpy(at + positions_[i++] * block_, spare, block_);
  }
}

}  // namespace oshen::exchange
