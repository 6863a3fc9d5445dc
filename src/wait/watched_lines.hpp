// The cache lines that a sleeper watches, encoded in 64 bits, which writers compare with the lines that they have
// written (design/waiting.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen {

// A range of cache lines: the first line and their number. 0 means no line; `anything` means every line.
//
// The first line is counted from the waiter's wake flag. Slices are equally far apart in every process, so writer and
// waiter get the same number although they map the segment at different addresses.
class watched_lines {
 public:
  static constexpr std::uint64_t nothing = 0, anything = ~std::uint64_t{0};
  static constexpr std::size_t all_memory = std::size_t{1} << 48;  // bytes; encoded as `anything`

  // Encodes the lines of `bytes` bytes at `address`, both in this process.
  static std::uint64_t encode(const void* wakeup, const void* address, std::size_t bytes) {
    const watched_lines w(wakeup, address, bytes);
    return w.count_ > most_lines ? anything : w.first_ << count_bits | w.count_;
  }
  // True if a write to `bytes` bytes at `address` touches one of the encoded lines.
  static bool touches(std::uint64_t encoded, const void* wakeup, const void* address, std::size_t bytes) {
    if (encoded == anything) return true;
    const watched_lines written(wakeup, address, bytes);
    const std::uint64_t first = encoded >> count_bits, count = encoded & most_lines;
    return distance(first, written.first_) < count || distance(written.first_, first) < written.count_;
  }
  // The union of two encoded ranges, or `anything`.
  static std::uint64_t join(std::uint64_t a, std::uint64_t b) {
    return a == b || b == nothing ? a : a == nothing ? b : anything;
  }

 private:
  static constexpr int line_bits = 6, count_bits = 28;
  static constexpr std::uint64_t most_lines = (std::uint64_t{1} << count_bits) - 1;
  static constexpr std::uint64_t first_mask = (std::uint64_t{1} << (64 - count_bits)) - 1;

  watched_lines(const void* wakeup, const void* address, std::size_t bytes) {
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
