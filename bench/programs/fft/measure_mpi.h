/* Measures a function that all processes of MPI_COMM_WORLD call together. */
#ifndef OSHEN_BENCH_FFT_MEASURE_MPI_H
#define OSHEN_BENCH_FFT_MEASURE_MPI_H

#include <mpi.h>

#include "report.h"

static inline void measure_mpi(const char* name, double seconds, void (*run)(void*), void* what) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  run(what);
  double one = now_seconds(), most;
  run(what);
  one = now_seconds() - one;
  MPI_Allreduce(&one, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int runs = runs_for(seconds, most);
  double starts[BATCHES], ends[BATCHES], beats[BATCHES], first[BATCHES], last[BATCHES], slowest[BATCHES];
  for (int b = 0; b < BATCHES; b++) {
    beats[b] = beat();
    MPI_Barrier(MPI_COMM_WORLD);
    starts[b] = now_seconds();
    for (int i = 0; i < runs; i++) run(what);
    ends[b] = now_seconds();
    beats[b] = worse(beats[b], beat());
  }
  MPI_Reduce(starts, first, BATCHES, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(ends, last, BATCHES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(beats, slowest, BATCHES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me != 0) return;
  for (int b = 0; b < BATCHES; b++) last[b] = (last[b] - first[b]) / runs;
  report(name, last, slowest, runs);
}

#endif
