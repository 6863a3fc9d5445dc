/* Random numbers that depend on their index alone, so that any PE can make any of them again. */
#ifndef BALE_RANDOM_H
#define BALE_RANDOM_H

#include <stdint.h>

/* Each bit of the result depends on all bits of `x`. */
static inline uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Number `i` of a stream, below `limit`. */
static inline uint64_t random_below(uint64_t stream, uint64_t i, uint64_t limit) {
  return scramble(scramble(stream + 0x9E3779B97F4A7C15u) + i) % limit;
}

/* Element `i` of a permutation of 0 .. n-1: a Feistel network on the bits of `i`, repeated until the result is below
 * n. */
static inline uint64_t shuffled(uint64_t stream, uint64_t i, uint64_t n) {
  unsigned half = 1;
  while (1ull << 2 * half < n) half++;
  const uint64_t mask = (1ull << half) - 1;
  do
    for (unsigned round = 0; round < 4; round++) {
      const uint64_t low = i & mask;
      i = low << half | ((i >> half ^ scramble(stream * 4 + round + (low << 32))) & mask);
    }
  while (i >= n);
  return i;
}

#endif
