#include "block.h"

#include <string.h>

static size_t length;
static bool compared;  // all bytes of one block were right

void block_begin(size_t bytes) {
  length = bytes;
  compared = false;
}

static unsigned char pattern(size_t at) { return (unsigned char)(at * 7 + at / 251); }

enum { shortest_stamped = 24 };  // three stamps

// Never zero: unwritten memory is zero.
static unsigned char short_mark(long operation) { return (unsigned char)(1 + operation % 251); }

// Every byte changes with the operation.
static unsigned long mark(long operation) {
  return ((unsigned long)operation & 0xff) * 0x0101010101010101ul ^ (unsigned long)operation;
}

static size_t place(int stamp) { return stamp == 0 ? 0 : stamp == 1 ? length / 16 * 8 : length - 8; }

void block_fill(unsigned char* block) {
  for (size_t at = 0; at < length; ++at) block[at] = pattern(at);
}

void block_stamp(unsigned char* block, long operation) {
  if (length < shortest_stamped) {
    memset(block, short_mark(operation), length);
    return;
  }
  const unsigned long number = mark(operation);
  for (int stamp = 0; stamp < 3; ++stamp) memcpy(block + place(stamp), &number, 8);
}

static bool is_stamp(size_t at) {
  for (int stamp = 0; stamp < 3; ++stamp)
    if (at - place(stamp) < 8) return true;
  return false;
}

static bool short_arrived(const unsigned char* block, long operation) {
  bool ok = true;
  for (size_t at = 0; at < length; ++at) ok &= block[at] == short_mark(operation);
  return ok;
}

bool block_arrived(const unsigned char* block, long operation) {
  if (length < shortest_stamped) return short_arrived(block, operation);
  const unsigned long number = mark(operation);
  for (int stamp = 0; stamp < 3; ++stamp)
    if (memcmp(block + place(stamp), &number, 8) != 0) return false;
  for (size_t at = 0; at < length && !compared; ++at)
    if (block[at] != pattern(at) && !is_stamp(at)) return false;
  compared = true;
  return true;
}
