// Steadiness of the machine: chunks of the same work, each timed. And the cost of reading the clock.
#include <stdlib.h>
#include <time.h>

#include "engine.h"
#include "page.h"

enum { steps_of_a_chunk = 2000, most_chunks = 1 << 14 };

static int64_t lengths[most_chunks];
static long chunks;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A dependent chain takes the same time whatever the core executes in parallel.
static void piece(void) {
  uint64_t x = 1;
  for (int i = 0; i < steps_of_a_chunk; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

static void work(long first, long count) {
  (void)first;
  chunks = count < most_chunks ? count : most_chunks;
  for (long i = 0; i < count; ++i) {
    const int64_t begin = now_ns();
    piece();
    lengths[i % most_chunks] = now_ns() - begin;
  }
}

static int by_length(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

static double unsteadiness(void) {
  qsort(lengths, (size_t)chunks, sizeof *lengths, by_length);
  return (double)lengths[chunks * 99 / 100] / (double)lengths[chunks / 2];
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

static const bench_case cases[] = {{"noise", "a fixed chunk of work, timed alone", 0, prepare, work, always_valid,
                                    bench_everyone | bench_lasting, NULL},
                                   {"clock", "clock_gettime", 0, NULL, read_clock, always_valid, bench_alone, NULL},
                                   {0}};

BENCH_CASES(bench_any_pes, cases)
