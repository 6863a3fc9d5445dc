#include "block.h"

#include <string.h>

#include "engine.h"
#include "pattern.h"

static size_t length;

void block_begin(size_t bytes) { length = bytes; }

enum { shortest_stamped = 24 };  // three stamps

// Never zero: unwritten memory is zero.
static unsigned char short_mark(long operation) { return (unsigned char)(1 + operation % 251); }

// Every byte changes with the operation.
static unsigned long mark(long operation) {
  return ((unsigned long)operation & 0xff) * 0x0101010101010101ul ^ (unsigned long)operation;
}

static size_t place(int stamp) { return stamp == 0 ? 0 : stamp == 1 ? length / 16 * 8 : length - 8; }

void block_fill(unsigned char* block) { pattern_write(block, length, 0); }

void block_stamp(unsigned char* block, long operation) {
  if (bench_whole && length >= shortest_stamped) {
    pattern_write(block, length, operation);
    return;
  }
  if (length < shortest_stamped) {
    memset(block, short_mark(operation), length);
    return;
  }
  const unsigned long number = mark(operation);
  for (int stamp = 0; stamp < 3; ++stamp) memcpy(block + place(stamp), &number, 8);
}

static bool short_arrived(const unsigned char* block, long operation) {
  bool ok = true;
  for (size_t at = 0; at < length; ++at) ok &= block[at] == short_mark(operation);
  return ok;
}

bool block_arrived(const unsigned char* block, long operation) {
  if (length < shortest_stamped) return short_arrived(block, operation);
  if (bench_whole) return pattern_is(block, length, operation);
  const unsigned long number = mark(operation);
  for (int stamp = 0; stamp < 3; ++stamp)
    if (memcmp(block + place(stamp), &number, 8) != 0) return false;
  return true;
}
