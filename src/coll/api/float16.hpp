// Floating-point numbers of 16 bits, for reductions: IEEE's binary16 and bfloat16. Each operation computes in float and
// rounds its result to the nearest number, to the even one of two. The compiler of the library need not know the types.
// The conversions have no branches, so that loops over arrays use vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace oshen::coll {

namespace float16 {

inline constexpr std::uint32_t sign_bit = 0x80000000u, infinity = 0x7f800000u;

// Rounds off the lowest `count` bits of a magnitude.
constexpr std::uint32_t rounded(std::uint32_t bits, int count) {
  return (bits + (1u << (count - 1)) - 1 + ((bits >> count) & 1)) >> count;
}

}  // namespace float16

class half {
 public:
  half() = default;
  explicit half(float value) : bits_(narrowed(value)) {}
  operator float() const {
    const std::uint32_t magnitude = bits_ & 0x7fffu, sign = (bits_ & 0x8000u) << 16;
    const float normal = std::bit_cast<float>((magnitude << 13) + (exponent_gap << 23));
    const float subnormal = static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24f;
    const float special = std::bit_cast<float>(magnitude << 13 | float16::infinity);
    const float finite = magnitude < 0x400u ? subnormal : normal;
    const float found = magnitude < 0x7c00u ? finite : special;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(found) | sign);
  }

 private:
  static constexpr std::uint32_t exponent_gap = 127 - 15;

  static std::uint16_t narrowed(float value) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(value), sign = all & float16::sign_bit;
    const std::uint32_t magnitude = all ^ sign;
    const std::uint32_t normal = float16::rounded(magnitude, 13) - (exponent_gap << 10);
    // The sum has the last place of the smallest subnormal number, 2^-24.
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const std::uint32_t number = magnitude < 0x47800000u ? finite : 0x7c00u;
    return static_cast<std::uint16_t>((magnitude > float16::infinity ? 0x7e00u : number) | sign >> 16);
  }

  std::uint16_t bits_;
};

class bfloat16 {
 public:
  bfloat16() = default;
  explicit bfloat16(float value) : bits_(narrowed(value)) {}
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16); }

 private:
  static std::uint16_t narrowed(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const bool is_number = (bits & ~float16::sign_bit) <= float16::infinity;
    return static_cast<std::uint16_t>(is_number ? float16::rounded(bits, 16) : bits >> 16 | 0x40u);
  }

  std::uint16_t bits_;
};

}  // namespace oshen::coll
