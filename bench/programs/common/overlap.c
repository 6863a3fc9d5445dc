#include "overlap.h"

#include <time.h>

#include "engine.h"

static double start_ns, wait_ns, hidden;
static double transfer_ns, compute_ns;
static long rounds_per_transfer;

double overlap_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// ---- start and completion

static double start_value(void) { return start_ns; }
static double wait_value(void) { return wait_ns; }

void split_prepare(void) {
  bench_also("_start", "ns", start_value);
  bench_also("_wait", "ns", wait_value);
}
void split_tell(double start, double wait, long count) {
  start_ns = start / (double)count;
  wait_ns = wait / (double)count;
}

// ---- overlap with computation

static double hidden_value(void) { return hidden; }
void overlap_prepare(void) { bench_also("_percent", "%", hidden_value); }

static void compute(long rounds) {
  unsigned long x = 1;
  for (long i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

// Many at once, so that reading the clock does not count.
void overlap_weigh(overlap_transfer* transfer, long first) {
  double a = overlap_now();
  transfer(first, overlap_tries);
  transfer_ns = (overlap_now() - a) / overlap_tries;
  a = overlap_now();
  compute(4096);
  const double round = (overlap_now() - a) / 4096;
  rounds_per_transfer = (long)(transfer_ns / round) + 1;
  a = overlap_now();
  for (int i = 0; i < overlap_tries; ++i) compute(rounds_per_transfer);
  compute_ns = (overlap_now() - a) / overlap_tries;
}

void overlap_compute(void) { compute(rounds_per_transfer); }

void overlap_tell(double begin, long count) {
  const double total = (overlap_now() - begin) / (double)count;
  const double share = 100 * (1 - (total - compute_ns) / transfer_ns);
  hidden = share < 0 ? 0 : share > 100 ? 100 : share;
}
