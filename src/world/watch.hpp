// What a sleeper watches, as one word that writers compare with what they have written (design/waiting.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen {

// Cache lines: where they begin, and how many. 0: nothing; `anything`: every write may be meant.
//
// Where they begin is counted from the waiter's wake flag. Slices lie equally far apart in every process, so writer and
// waiter, who map them at different addresses, come to the same number.
class watch {
 public:
  static constexpr std::uint64_t nothing = 0, anything = ~std::uint64_t{0};
  static constexpr std::size_t all_memory = std::size_t{1} << 48;  // bytes; more than any word tells apart

  // The word for `bytes` bytes at `address`, both in this process.
  static std::uint64_t of(const void* wakeup, const void* address, std::size_t bytes) {
    const watch w(wakeup, address, bytes);
    return w.count_ > most_lines ? anything : w.first_ << count_bits | w.count_;
  }
  // Does a write to `bytes` bytes at `address` touch what the word says?
  static bool touches(std::uint64_t word, const void* wakeup, const void* address, std::size_t bytes) {
    if (word == anything) return true;
    const watch written(wakeup, address, bytes);
    const std::uint64_t first = word >> count_bits, count = word & most_lines;
    return distance(first, written.first_) < count || distance(written.first_, first) < written.count_;
  }
  // A word for what either says.
  static std::uint64_t join(std::uint64_t a, std::uint64_t b) {
    return a == b || b == nothing ? a : a == nothing ? b : anything;
  }

 private:
  static constexpr int line_bits = 6, count_bits = 28;
  static constexpr std::uint64_t most_lines = (std::uint64_t{1} << count_bits) - 1;
  static constexpr std::uint64_t first_mask = (std::uint64_t{1} << (64 - count_bits)) - 1;

  watch(const void* wakeup, const void* address, std::size_t bytes) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(wakeup);
    const std::uint64_t last = offset + (bytes == 0 ? 0 : bytes - 1);
    first_ = offset >> line_bits & first_mask;
    count_ = (last >> line_bits) - (offset >> line_bits) + 1;
  }
  static std::uint64_t distance(std::uint64_t from, std::uint64_t to) { return (to - from) & first_mask; }

  std::uint64_t first_;
  std::uint64_t count_;
};

}  // namespace oshen
