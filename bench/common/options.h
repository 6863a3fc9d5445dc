// The command line that every benchmark program understands.
#pragma once
#include <stdbool.h>

typedef struct {
  const char* page;   // file shared by all processes, or "hosts"
  const char* out;    // where process 0 writes its records
  const char* cases;  // comma-separated shell patterns, NULL for all
  int cpus[64];  // CPU of process i is cpus[i]; with more processes than CPUs all of them for all
  int cpu_count;
  int batches;    // per case
  long batch_ns;  // least length of a batch
  bool quick;
  long from;        // how many of the chosen cases are left out: those of a launch that crashed
  const char* without;  // names of cases that are left out, with commas: those in which the library hangs; or NULL
  bool list;        // print the names of the cases and end
  long sizes[64];   // bytes; instead of those of the cases that have several
  int size_count;
} bench_options;

bench_options options_parse(int argc, char** argv);
bool options_select(const bench_options* options, const char* name);
// `local` of `processes` on this machine.
void options_pin(const bench_options* options, int local, int processes);
