// Random numbers that are the same on every PE and every machine (splitmix64).
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
  uint64_t state;
};

static inline uint64_t random_word(struct random* r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline size_t random_below(struct random* r, size_t bound) { return (size_t)(random_word(r) % bound); }

static inline int random_int(struct random* r, int bound) { return (int)random_below(r, (size_t)bound); }

// Mostly small, sometimes up to `most`: all powers of two are equally likely.
static inline size_t random_size(struct random* r, size_t most) {
  size_t bits = 0;
  while ((most >> bits) > 1) bits++;
  const size_t scale = (size_t)1 << random_below(r, bits + 1);
  const size_t size = random_below(r, 2 * scale);
  return size < most ? size : most;
}
