// Data that proves that it was moved: every byte changes from number to number, and from place to place.
#pragma once
#include <stdbool.h>
#include <stddef.h>

static inline unsigned char pattern_byte(size_t at, long number) {
  return (unsigned char)(at * 7 + at / 251 + (size_t)number * 37);
}

static inline void pattern_write(void* data, size_t bytes, long number) {
  unsigned char* const to = (unsigned char*)data;
  for (size_t at = 0; at < bytes; ++at) to[at] = pattern_byte(at, number);
}

static inline bool pattern_is(const void* data, size_t bytes, long number) {
  const unsigned char* const found = (const unsigned char*)data;
  bool ok = true;
  for (size_t at = 0; at < bytes; ++at) ok &= found[at] == pattern_byte(at, number);
  return ok;
}
