// Times operations between hosts. The processes share only the network, so the engine of programs/common, whose
// processes share a page, does not apply. A case is a number of batches of one length on all processes; its result is
// the median batch.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common/json_line.h"

enum { batches = 9, most_bytes = 4 << 20 };

static const size_t move_sizes[] = {8, 1024, 65536, 1 << 20, most_bytes};
static const size_t collective_sizes[] = {8, 1024, 65536, 1 << 20};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int is_quick;  // runs every case once, without good measurements

// Operations of one batch: some milliseconds over a current network.
static int operations(size_t bytes) { return is_quick ? 4 : bytes <= 1024 ? 200 : bytes <= 65536 ? 60 : 12; }

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double median(double* all, int n) {
  qsort(all, (size_t)n, sizeof *all, by_value);
  return all[n / 2];
}

// Prints one line of the result for the driver.
static void tell(const char* name, size_t bytes, double us) {
  json_line line = json_begin(stdout);
  json_text(&line, "case", name);
  json_integer(&line, "bytes", (long long)bytes);
  json_number(&line, "us", us, 4);
  json_end(&line);
}

// Ends the launch if the data that arrived differs from the data that was sent.
static void demand(int is_right, const char* name, size_t bytes) {
  if (is_right) return;
  fprintf(stderr, "%s of %zu bytes: wrong result\n", name, bytes);
  exit(3);
}

// Microseconds of one operation.
static double time_batches(void (*operation)(size_t bytes, long number), size_t bytes) {
  double all[batches];
  const int n = operations(bytes);
  long number = 0;
  for (int i = 0; i < n / 4 + 1; ++i) operation(bytes, ++number);
  for (int b = 0; b < batches; ++b) {
    const double began = now_us();
    for (int i = 0; i < n; ++i) operation(bytes, ++number);
    all[b] = (now_us() - began) / n;
  }
  return median(all, batches);
}

// Times `n` single operations to a process that computes, spread over a second.
static void time_single(void (*operation)(size_t bytes, long number), const char* name, int n) {
  double all[64];
  for (int i = 0; i < n; ++i) {
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    const double began = now_us();
    operation(8, i + 1);
    all[i] = now_us() - began;
  }
  tell(name, 8, median(all, n));
}

static void compute(double seconds) {
  for (const double end = now_us() + seconds * 1e6; now_us() < end;) {
  }
}
