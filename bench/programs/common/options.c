#define _GNU_SOURCE
#include "options.h"

#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse_cpus(bench_options* options, const char* list) {
  options->cpu_count = 0;
  char* end = NULL;
  for (const char* at = list; *at != '\0' && options->cpu_count < 64; at = *end == ',' ? end + 1 : end) {
    options->cpus[options->cpu_count++] = (int)strtol(at, &end, 10);
    if (end == at) break;
  }
}

static void parse_sizes(bench_options* options, const char* list) {
  char* end = NULL;
  for (const char* at = list; *at != '\0' && options->size_count < 64; at = *end == ',' ? end + 1 : end) {
    const long size = strtol(at, &end, 10);
    if (end == at || size < 1) {
      fprintf(stderr, "bench: --sizes %s: bytes and commas are expected\n", list);
      exit(2);
    }
    options->sizes[options->size_count++] = size;
  }
}

bench_options options_parse(int argc, char** argv) {
  bench_options options = {.batches = 15, .batch_ns = 300000, .cpus = {0, 1}, .cpu_count = 2};
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--quick") == 0 || strcmp(argv[i], "--list") == 0) {
      options.quick |= argv[i][2] == 'q';
      options.list |= argv[i][2] == 'l';
      continue;
    }
    if (strcmp(argv[i], "--page") == 0)
      options.page = value;
    else if (strcmp(argv[i], "--out") == 0)
      options.out = value;
    else if (strcmp(argv[i], "--cases") == 0)
      options.cases = value;
    else if (strcmp(argv[i], "--sizes") == 0)
      parse_sizes(&options, value);
    else if (strcmp(argv[i], "--cpus") == 0)
      parse_cpus(&options, value);
    else if (strcmp(argv[i], "--from") == 0)
      options.from = atol(value);
    else if (strcmp(argv[i], "--without") == 0)
      options.without = value;
    else if (strcmp(argv[i], "--batches") == 0)
      options.batches = atoi(value);
    else if (strcmp(argv[i], "--batch-us") == 0)
      options.batch_ns = 1000 * atol(value);
    else {
      fprintf(stderr, "bench: unknown argument %s\n", argv[i]);
      exit(2);
    }
    ++i;
  }
  if (!options.list && (options.page == NULL || options.out == NULL || options.batches < 1)) {
    fprintf(stderr, "bench: --page FILE and --out FILE are needed; oshbench makes both\n");
    exit(2);
  }
  return options;
}

// `patterns` are separated by commas.
static bool fits_one(const char* patterns, const char* name) {
  char* const list = strdup(patterns);
  bool found = false;
  char* rest = NULL;
  for (char* pattern = strtok_r(list, ",", &rest); pattern != NULL && !found; pattern = strtok_r(NULL, ",", &rest))
    found = fnmatch(pattern, name, 0) == 0;
  free(list);
  return found;
}

bool options_select(const bench_options* options, const char* name) {
  return (options->cases == NULL || fits_one(options->cases, name)) &&
         (options->without == NULL || !fits_one(options->without, name));
}

// A program pins itself after the library's start-up, so that every library under test runs on the same CPUs.
void options_pin(const bench_options* options, int local, int processes) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (processes <= options->cpu_count)
    CPU_SET((size_t)options->cpus[local], &set);
  else
    for (int i = 0; i < options->cpu_count; ++i) CPU_SET((size_t)options->cpus[i], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    perror("bench: sched_setaffinity: --cpus names CPUs that this process may not use");
    exit(2);
  }
}
