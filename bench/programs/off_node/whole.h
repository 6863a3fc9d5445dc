// Checks of whole results. A process writes the result that it expects into memory of its own, spoils every byte of the
// memory where the result will be, and compares all bytes afterwards.
#pragma once
#include <string.h>

#include "../common/pattern.h"
#include "measure.h"

// True in the pass that checks single operations, outside of the timed loop. Every byte then changes with the number of
// the operation. Timed operations carry their number at both ends only, so that writing does not count.
static int in_full;
enum { full_operations = 2 };  // numbers 1 and 2, because a result of the first may be kept

static unsigned char* expected;

static void expect_up_to(size_t bytes) {
  expected = malloc(bytes);
  if (expected == NULL) abort();
}

static void stamp(void* block, size_t bytes, long number) {
  if (in_full) {
    pattern_write(block, bytes, number);
    return;
  }
  memcpy(block, &number, sizeof number);
  memcpy((char*)block + bytes - sizeof number, &number, sizeof number);
}

// A whole block, as an operation with this number carries it.
static void fill(void* block, size_t bytes, long number) {
  pattern_write(block, bytes, 0);
  stamp(block, bytes, number);
}

// Leaves no byte of `result` as it is expected.
static void spoil(void* result, size_t bytes) {
  unsigned char* const to = result;
  for (size_t at = 0; at < bytes; ++at) to[at] = (unsigned char)~expected[at];
}

// `bytes` is the size of the case, `whole` that of its result.
static void check(const void* result, const char* name, size_t bytes, size_t whole) {
  demand(memcmp(result, expected, whole) == 0, name, bytes);
}
