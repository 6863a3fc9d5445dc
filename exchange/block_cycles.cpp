#include "block_cycles.hpp"

#include <cstring>

namespace oshen::exchange {

void block_cycles::form(std::size_t rows, std::size_t columns, std::size_t bytes) {
  block_ = bytes;
  places_.clear();
  ends_.clear();
  const std::size_t n = rows * columns;
  std::vector<bool> seen(n);
  for (std::size_t first = 0; first < n; first++) {
    const std::size_t begin = places_.size();
    for (std::size_t place = first; !seen[place]; place = place % rows * columns + place / rows) {
      seen[place] = true;
      places_.push_back(static_cast<std::uint32_t>(place));
    }
    if (places_.size() < begin + 2) {
      places_.resize(begin);  // stays where it is, or is part of an earlier one
    } else {
      ends_.push_back(static_cast<std::uint32_t>(places_.size()));
    }
  }
}

void block_cycles::move(std::byte* at, std::byte* spare) const {
  std::size_t i = 0;
  for (const std::size_t end : ends_) {
    std::memcpy(spare, at + places_[i] * block_, block_);
    for (; i + 1 < end; i++)
      std::memcpy(at + places_[i] * block_, at + places_[i + 1] * block_, block_);
    std::memcpy(at + places_[i++] * block_, spare, block_);
  }
}

}  // namespace oshen::exchange
