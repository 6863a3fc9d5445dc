// Copying bytes and single elements between slices.
#pragma once

#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace oshen::op {

// Element types for the routines whose names have a size instead of a type.
struct alignas(16) word128 {
  std::uint64_t half[2];
};
template <int bits>
struct word_of_bits;
template <>
struct word_of_bits<8> {
  using type = std::uint8_t;
};
template <>
struct word_of_bits<16> {
  using type = std::uint16_t;
};
template <>
struct word_of_bits<32> {
  using type = std::uint32_t;
};
template <>
struct word_of_bits<64> {
  using type = std::uint64_t;
};
template <>
struct word_of_bits<128> {
  using type = word128;
};

// The unsigned integer type that copies an element by one instruction, if there is one.
template <class T>
inline constexpr bool fits_word = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;
template <class T>
using word_of = typename word_of_bits<fits_word<T> ? static_cast<int>(sizeof(T)) * 8 : 8>::type;

// Stores one element. An aligned element is stored by one instruction, because older programs signal with shmem_p and a
// fence. Release order costs nothing on x86, and makes earlier stores visible to a waiter.
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

// Orders the loads of a blocking get before later accesses. x86 keeps the order of loads by itself, so there memcpy can
// be a tail call.
[[gnu::always_inline]] inline void keep_loads_before() {
#if !defined(__x86_64__)
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

// The count that has a branch of its own: one element, or eight if elements are bytes.
template <class T>
inline constexpr std::size_t quick_count = sizeof(T) == 1 ? 8 : 1;

// Copies `quick_count` elements.
template <class T>
[[gnu::always_inline]] inline void copy_quick(T* to, const T* from) {
  if constexpr (sizeof(T) == 1) {
    memcpy(to, from, 8);  // two instructions
  } else {
    T value;
    memcpy(&value, from, sizeof value);
    store_one(to, value);
  }
}

// Copies `n` elements. It suits small counts that vary little, as in the blocks of a strided transfer.
template <class T>
[[gnu::always_inline]] inline void copy(T* to, const T* from, std::size_t n) {
  if (n == quick_count<T>) [[likely]]
    copy_quick(to, from);
  else if (n != 0)
    memcpy(to, from, n * sizeof(T));
}

}  // namespace oshen::op
