// The cases of `oshbench run off-node` that OpenSHMEM and MPI share; shmem.c and mpi.c say how each is done in their
// own routines. Process 0 moves bytes to the first process of the other half, which is on the second host; all others
// are in a barrier meanwhile.
#pragma once
#include <string.h>

#include "measure.h"

typedef void operation(size_t bytes, long number);

typedef struct {
  int me, size;
  char *source, *target;  // most_bytes each, or 1 MiB for each process if that is more
  operation *put, *get, *fetch_add;
  long (*counted)(void);  // the value that fetch_add has reached
  operation* barrier;
  operation *broadcast, *sum, *fcollect, *alltoall;  // from `source` to `target`; NULL if the library lacks it
} world;

static void measure_moves(const world* w) {
  for (size_t i = 0; i < COUNT(move_sizes); ++i) {
    const size_t bytes = move_sizes[i];
    if (w->me == 0) {
      tell("put", bytes, time_batches(w->put, bytes));
      const long last = *(long*)w->source;
      memset(w->source, 0, bytes);
      tell("get", bytes, time_batches(w->get, bytes));
      demand(*(long*)w->source == last && memcmp(w->source + bytes - sizeof last, &last, sizeof last) == 0, "put",
             bytes);
    }
    w->barrier(0, 0);
  }
  if (w->me == 0) {
    const long before = w->counted(), n = operations(8);
    tell("fetch_add", 8, time_batches(w->fetch_add, 8));
    demand(w->counted() - before == n / 4 + 1 + batches * n, "fetch_add", 8);
  }
  w->barrier(0, 0);
  if (w->me == 0)
    time_single(w->put, "put_computing", 30);
  else
    compute(1.0);
  w->barrier(0, 0);
}

// The data of process p are all p + 1. `first` is the first byte of the result.
static void measure_collective(const world* w, const char* name, operation* call, size_t bytes, long first) {
  for (size_t k = 0; k < (size_t)w->size * bytes / sizeof(long); ++k) ((long*)w->source)[k] = w->me + 1;
  memset(w->target, 0, bytes);
  w->barrier(0, 0);
  const double us = time_batches(call, bytes);
  if (w->me == 0) tell(name, bytes, us);
  const int root_keeps = w->me == 0 && call == w->broadcast;  // its buffer stays
  demand(root_keeps || *(long*)w->target == first, name, bytes);
  w->barrier(0, 0);
}

static void measure_collectives(const world* w) {
  const long total = (long)w->size * (w->size + 1) / 2;
  const double us = time_batches(w->barrier, 8);
  if (w->me == 0) tell("barrier", 0, us);
  for (size_t i = 0; w->broadcast != NULL && i < COUNT(collective_sizes); ++i) {
    measure_collective(w, "broadcast", w->broadcast, collective_sizes[i], 1);
    measure_collective(w, "sum", w->sum, collective_sizes[i], total);
    measure_collective(w, "fcollect", w->fcollect, collective_sizes[i], 1);
    measure_collective(w, "alltoall", w->alltoall, collective_sizes[i], 1);
  }
}

static size_t room_for(int size) { return (size_t)(size < 4 ? 4 : size) << 20; }

static void measure_all(const world* w) {
  memset(w->source, 0, room_for(w->size));
  memset(w->target, 0, room_for(w->size));
  w->barrier(0, 0);
  if (w->size == 2) measure_moves(w);
  measure_collectives(w);
}
