// How steady the machine is: pieces of the same work, each timed; and what reading the clock costs.
#include <stdlib.h>
#include <time.h>

#include "kernel.h"
#include "page.h"

enum { steps_of_a_piece = 2000, most_pieces = 1 << 14 };

static int64_t lengths[most_pieces];
static long pieces;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A chain, so that it takes the same time whatever else the core could do at once.
static void piece(void) {
  uint64_t x = 1;
  for (int i = 0; i < steps_of_a_piece; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

static void work(long first, long count) {
  (void)first;
  pieces = count < most_pieces ? count : most_pieces;
  for (long i = 0; i < count; ++i) {
    const int64_t begin = now_ns();
    piece();
    lengths[i % most_pieces] = now_ns() - begin;
  }
}

static int by_length(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

static double unsteadiness(void) {
  qsort(lengths, (size_t)pieces, sizeof *lengths, by_length);
  return (double)lengths[pieces * 99 / 100] / (double)lengths[pieces / 2];
}

static void prepare(long size) {
  (void)size;
  bench_also("_p99", "ratio", unsteadiness);
}

static void read_clock(long first, long count) {
  for (long i = first; i < first + count; ++i) bench_keep((long)now_ns());
}

static bool always_valid(long first, long count) {
  (void)first;
  return count > 0;
}

const bench_case noise_cases[] = {
    {"noise", "a fixed piece of work, timed alone", 0, prepare, work, always_valid,
     bench_everyone | bench_lasting, NULL},
    {"clock", "clock_gettime", 0, NULL, read_clock, always_valid, bench_alone, NULL},
    {0}};
