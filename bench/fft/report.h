/* What the comparison programs have in common: how they measure, and the line they print.
 *
 * A batch is a number of transforms one after the other, from the start of the first process to the
 * end of the last (one clock for the node), divided by their number. Not from each process's own
 * start: with more processes than CPUs who starts late would have part of its time left out. */
#ifndef OSHEN_BENCH_FFT_REPORT_H
#define OSHEN_BENCH_FFT_REPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 8, MOST_RUNS = 400 };

static inline double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs of a batch, so that all batches fit into the time, given how long one run takes. */
static inline int runs_for(double seconds, double one) {
  const int batches = BATCHES, most = MOST_RUNS;
  const double fit = seconds / batches / (one + 1e-9);
  return fit < 1 ? 1 : fit > most ? most : (int)fit;
}

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* `seconds`: of one run, in each of the batches; sorted here. */
static inline void report(const char* name, double* seconds, int runs) {
  qsort(seconds, BATCHES, sizeof *seconds, by_value);
  printf("{\"name\": \"%s\", \"best_ms\": %.6f, \"median_ms\": %.6f, \"runs\": %d}\n", name,
         1e3 * seconds[0], 1e3 * seconds[BATCHES / 2], runs);
  fflush(stdout);
}

#endif
