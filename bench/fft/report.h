/* What the comparison programs have in common: how long to measure, and the line they print. */
#ifndef OSHEN_BENCH_FFT_REPORT_H
#define OSHEN_BENCH_FFT_REPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_RUNS = 400 };

static inline double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs that fit into the time, given how long one takes on the slowest process. */
static inline int runs_for(double seconds, double one) {
  const int most = MOST_RUNS, fewest = 3;
  const double fit = seconds / (one + 1e-9);
  if (fit < fewest) return fewest;
  return fit > most ? most : (int)fit;
}

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* `seconds`: of each run, the slowest process; sorted here. */
static inline void report(const char* name, double* seconds, int runs) {
  qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
  printf("{\"name\": \"%s\", \"best_ms\": %.6f, \"median_ms\": %.6f, \"runs\": %d}\n", name,
         1e3 * seconds[0], 1e3 * seconds[runs / 2], runs);
  fflush(stdout);
}

#endif
