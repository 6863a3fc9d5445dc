/* The measurement that all programs of this folder share, and the line they print.
 *
 * The time of a batch runs from the start of the first process to the end of the last, by the clock of the node.
 * Measured from its own start, a process that starts late would lose part of its time.
 *
 * Before and after each batch every process takes the beat of its CPU. */
#ifndef OSHEN_BENCH_FFT_REPORT_H
#define OSHEN_BENCH_FFT_REPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common/json_line.h"

enum { BATCHES = 8, MOST_RUNS = 400 };

static inline double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs of a batch, so that all batches fit into `seconds`; `one` is the time of a run. */
static inline int runs_for(double seconds, double one) {
  const int batches = BATCHES, most = MOST_RUNS;
  const double fit = seconds / batches / (one + 1e-9);
  return fit < 1 ? 1 : fit > most ? most : (int)fit;
}

/* Seconds of a little arithmetic in registers, the best of a few times. It fills the core, so it shows a lower clock
 * and work on the core's other hardware thread, even that of other virtual machines. */
static inline double beat(void) {
  unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  double best = 1;
  for (int again = 0; again < 5; again++) {
    const double begin = now_seconds();
    for (int i = 0; i < 3000; i++) {
      a += a >> 3, b += b >> 3, c += c >> 3, d += d >> 3, e += e >> 3, f += f >> 3;
      __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
    const double took = now_seconds() - begin;
    if (took < best) best = took;
  }
  return best;
}

static inline double worse(double a, double b) { return a > b ? a : b; }

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* `seconds`: time of one run in each batch; sorted here. `beats`: of the slowest process, about each batch. */
static inline void report(const char* name, double* seconds, const double* beats, int runs) {
  int best = 0;
  for (int b = 1; b < BATCHES; b++) best = seconds[b] < seconds[best] ? b : best;
  const double beat_of_best = beats[best];
  qsort(seconds, BATCHES, sizeof *seconds, by_value);
  json_line line = json_begin(stdout);
  json_text(&line, "name", name);
  json_number(&line, "best_ms", 1e3 * seconds[0], 6);
  json_number(&line, "median_ms", 1e3 * seconds[BATCHES / 2], 6);
  json_integer(&line, "runs", runs);
  json_number(&line, "beat_us", 1e6 * beat_of_best, 3);
  json_end(&line);
}

#endif
