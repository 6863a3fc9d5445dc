// Bytes that encode their source. Byte i of the pattern of `seed` differs from its neighbours, from the same byte under
// another seed, and from a freshly zeroed buffer. So a shifted or stale copy shows.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline unsigned char pattern_byte(unsigned seed, size_t i) {
  uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + ((uint64_t)seed + 1) * 0xd1342543de82ef95u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return (unsigned char)(x >> 56);
}

static inline void pattern_fill(void* buffer, size_t bytes, unsigned seed) {
  unsigned char* out = buffer;
  for (size_t i = 0; i < bytes; i++) out[i] = pattern_byte(seed, i);
}

// The first byte that is not the pattern's; `bytes` if all are.
static inline size_t pattern_mismatch(const void* buffer, size_t bytes, unsigned seed) {
  const unsigned char* in = buffer;
  for (size_t i = 0; i < bytes; i++)
    if (in[i] != pattern_byte(seed, i)) return i;
  return bytes;
}

// The same for `count` elements in which only the first `significant` bytes carry the value: a long double has padding,
// which a copy by value may leave out.
static inline size_t pattern_value_mismatch(const void* buffer, size_t count, size_t element, size_t significant,
                                            unsigned seed) {
  const unsigned char* in = buffer;
  for (size_t i = 0; i < count * element; i++)
    if (i % element < significant && in[i] != pattern_byte(seed, i)) return i;
  return count * element;
}

// The first byte that is not `value`; `bytes` if all are.
static inline size_t byte_mismatch(const void* buffer, size_t bytes, unsigned char value) {
  const unsigned char* in = buffer;
  for (size_t i = 0; i < bytes; i++)
    if (in[i] != value) return i;
  return bytes;
}
