// Small arithmetic on sizes and addresses.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace oshen {

inline constexpr std::size_t cache_line = 64;

constexpr std::size_t round_up(std::size_t value, std::size_t power_of_two) {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}
constexpr std::size_t round_down(std::size_t value, std::size_t power_of_two) { return value & ~(power_of_two - 1); }
// Smallest r with 2^r >= n.
constexpr int ceil_log2(unsigned n) { return n <= 1 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

template <class T>
T* byte_offset(T* p, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
}

}  // namespace oshen
