// The command line that every benchmark program understands.
#pragma once
#include <stdbool.h>

typedef struct {
  const char* page;   // file shared by all processes, or "hosts"
  const char* out;    // where process 0 writes its records
  const char* cases;  // comma-separated shell patterns, NULL for all
  int cpus[64];       // CPU of process i; with more processes than CPUs every process may use all
  int cpu_count;
  int batches;    // per case
  long batch_ns;  // least length of a batch
  bool quick;
  long from;            // chosen cases to skip: those before and at a crash.
  const char* without;  // comma-separated cases to skip because the library hangs in them; or NULL.
  bool list;            // print the names of the cases and end.
  long sizes[64];       // bytes, for cases with several sizes.
  int size_count;
} bench_options;

bench_options options_parse(int argc, char** argv);
bool options_select(const bench_options* options, const char* name);
// For process `local` of `processes` on this machine.
void options_pin(const bench_options* options, int local, int processes);
