// Times operations between hosts. The processes share only the network, so the engine of programs/common, whose
// processes share a page, does not apply. A case is a number of batches of one length on all processes; its result is
// the median batch.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common/json_line.h"

enum { batches = 9, most_bytes = 4 << 20 };

static const size_t move_sizes[] = {8, 1024, 4096, 65536, 1 << 20, most_bytes};
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

// One line of JSON for the driver. It is written at once, because launchers mix what several processes write.
static char* text;
static size_t length;
static json_line begin_line(void) {
  FILE* const memory = open_memstream(&text, &length);
  if (memory == NULL) abort();
  return json_begin(memory);
}
static void end_line(json_line* line) {
  json_end(line);
  fclose(line->out);
  fwrite(text, 1, length, stdout);
  fflush(stdout);
  free(text);
}

// Prints one line of the result for the driver.
static void tell(const char* name, size_t bytes, double us) {
  json_line line = begin_line();
  json_text(&line, "case", name);
  json_integer(&line, "bytes", (long long)bytes);
  json_number(&line, "us", us, 4);
  end_line(&line);
}

// The status of the process at its end: 3 if any result was wrong.
static int ending;

// Tells the driver, on any process, that the data of a case that arrived differ from the data that were sent.
static void demand(int is_right, const char* name, size_t bytes) {
  if (is_right) return;
  ending = 3;
  json_line line = begin_line();
  json_text(&line, "wrong", name);
  json_integer(&line, "bytes", (long long)bytes);
  end_line(&line);
}

static int warming(size_t bytes) { return operations(bytes) / 4 + 1; }

// The operations of time_batches; the last has this number.
static long timed_operations(size_t bytes) { return warming(bytes) + (long)batches * operations(bytes); }

// Microseconds of one operation.
static double time_batches(void (*operation)(size_t bytes, long number), size_t bytes) {
  double all[batches];
  const int n = operations(bytes);
  long number = 0;
  for (int i = 0; i < warming(bytes); ++i) operation(bytes, ++number);
  for (int b = 0; b < batches; ++b) {
    const double began = now_us();
    for (int i = 0; i < n; ++i) operation(bytes, ++number);
    all[b] = (now_us() - began) / n;
  }
  return median(all, batches);
}

static void compute(double seconds) {
  for (const double end = now_us() + seconds * 1e6; now_us() < end;) {
  }
}
