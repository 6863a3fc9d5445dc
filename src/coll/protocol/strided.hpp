// Copies of elements that lie apart, at any address.
#pragma once

#include <string.h>

#include <cstddef>

namespace oshen::coll {

// A known element size lets the compiler use plain moves. Steps are in bytes.
template <std::size_t size>
void copy_strided(char* to, const char* from, std::ptrdiff_t to_step, std::ptrdiff_t from_step, std::size_t n) {
  for (; n != 0; --n, to += to_step, from += from_step) memcpy(to, from, size);
}

// Copies `n` elements of `size` bytes; strides are in elements.
inline void copy_elements(char* to, const char* from, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,
                          std::size_t size) {
  const auto width = static_cast<std::ptrdiff_t>(size);
  switch (dst == 1 && sst == 1 ? 0 : size) {
    case 0: memcpy(to, from, n * size); return;
    case 1: return copy_strided<1>(to, from, dst, sst, n);
    case 2: return copy_strided<2>(to, from, dst * 2, sst * 2, n);
    case 4: return copy_strided<4>(to, from, dst * 4, sst * 4, n);
    case 8: return copy_strided<8>(to, from, dst * 8, sst * 8, n);
    case 16: return copy_strided<16>(to, from, dst * 16, sst * 16, n);
    default:
      for (; n != 0; --n, to += dst * width, from += sst * width) memcpy(to, from, size);
  }
}

}  // namespace oshen::coll
