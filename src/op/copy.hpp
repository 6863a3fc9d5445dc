// Moving bytes and single elements between slices.
#pragma once

#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace oshen::op {

// An element of a given width, for the calls that name a size instead of a type.
struct alignas(16) word128 {
  std::uint64_t half[2];
};
template <int bits> struct word_of_bits;
template <> struct word_of_bits<8> { using type = std::uint8_t; };
template <> struct word_of_bits<16> { using type = std::uint16_t; };
template <> struct word_of_bits<32> { using type = std::uint32_t; };
template <> struct word_of_bits<64> { using type = std::uint64_t; };
template <> struct word_of_bits<128> { using type = word128; };

// The unsigned integer that an element is moved as, when the machine can move it in one piece.
template <class T>
inline constexpr bool fits_word = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;
template <class T>
using word_of = typename word_of_bits<fits_word<T> ? static_cast<int>(sizeof(T)) * 8 : 8>::type;

// One element, never torn when it is aligned: old programs signal with shmem_p and a fence. Release order
// costs nothing on x86 and makes what was stored before visible to a waiter.
template <class T>
[[gnu::always_inline]] inline void store_one(T* to, const T& value) {
  if constexpr (fits_word<T>) {
    word_of<T> bits;
    memcpy(&bits, &value, sizeof bits);
    __atomic_store_n(reinterpret_cast<word_of<T>*>(to), bits, __ATOMIC_RELEASE);
  } else {
    memcpy(to, &value, sizeof(T));
  }
}

template <class T>
[[gnu::always_inline]] inline T load_one(const T* from) {
  T value;
  if constexpr (fits_word<T>) {
    const word_of<T> bits = __atomic_load_n(reinterpret_cast<const word_of<T>*>(from), __ATOMIC_ACQUIRE);
    memcpy(&value, &bits, sizeof bits);
  } else {
    memcpy(&value, from, sizeof(T));
  }
  return value;
}

// After the loads of a blocking get: what comes next reads and writes later. x86 keeps the order of loads by itself;
// there memcpy may stay the last thing that a get does.
[[gnu::always_inline]] inline void keep_loads_before() {
#if !defined(__x86_64__)
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

// The count that is worth a branch of its own: one element, or eight bytes where elements are bytes.
template <class T>
inline constexpr std::size_t quick_count = sizeof(T) == 1 ? 8 : 1;

// `quick_count` elements.
template <class T>
[[gnu::always_inline]] inline void move_quick(T* to, const T* from) {
  if constexpr (sizeof(T) == 1) {
    memcpy(to, from, 8);  // two instructions
  } else {
    T value;
    memcpy(&value, from, sizeof value);
    store_one(to, value);
  }
}

// `n` elements, where the count varies little and is small: blocks of a strided transfer, data with a signal.
template <class T>
[[gnu::always_inline]] inline void copy(T* to, const T* from, std::size_t n) {
  if (n == quick_count<T>) [[likely]]
    move_quick(to, from);
  else if (n != 0)
    memcpy(to, from, n * sizeof(T));
}

}  // namespace oshen::op
