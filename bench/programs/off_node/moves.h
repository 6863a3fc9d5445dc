// Puts and gets between processes 0 and 1, which are on different hosts: the cases that OpenSHMEM, MPI and libfabric
// share.
#pragma once
#include "whole.h"

typedef void operation(size_t bytes, long number);

// One form of a message. `send` moves the first bytes of `source`, which carry this number, into the `target` of the
// partner, and notifies it. `receive` returns when the next message of the partner has come. The partner of a process
// is as far as half of all processes.
typedef struct {
  const char* name;
  operation* send;
  void (*receive)(size_t bytes);
} message_form;

// A library: shmem.c, mpi.c and fabric.c say how each operation is done in their own routines. `source` and `target`
// have most_bytes each, or 1 MiB for each process if that is more. Process 0 puts from its `source` into the other
// `target`, and gets from there. The counter of process 1 is read by `counted`.
//
// `meet` is a barrier. After it a process sees in its `target` what others have put there, and gets bring what it has
// stored there.
//
// Collectives go from `source` to `target`. Operations are NULL if the library lacks them. Without a barrier it moves
// nothing to a process that computes. `compute_and_serve` computes for so many seconds, where operations are served by
// the process itself; NULL: the library serves them.
typedef struct {
  int me, size;
  char *source, *target;
  operation *put, *get;
  void (*meet)(void);
  long (*fetch_add)(void);
  long (*counted)(void);
  // Process 0 and 1 set a flag of the other one, and wait until their own has at least this value; `await` returns it.
  void (*raise)(long value);
  long (*await)(long value);
  operation* barrier;
  operation *broadcast, *sum, *fcollect, *alltoall;
  char* result_of_root;  // of a broadcast
  const message_form* forms;
  int n_forms;
  void (*compute_and_serve)(double seconds);
} world;

static void before_put(const world* w, size_t bytes, long number) {
  fill(expected, bytes, number);
  if (w->me == 0)
    fill(w->source, bytes, 0);
  else
    spoil(w->target, bytes);
  w->meet();
}

static void after_put(const world* w, const char* name, size_t bytes) {
  w->meet();
  if (w->me != 0) check(w->target, name, bytes, bytes);
}

static void compute_as(const world* w, double seconds) {
  if (w->compute_and_serve != NULL)
    w->compute_and_serve(seconds);
  else
    compute(seconds);
}

// Meanwhile process 1 computes for so many seconds.
static void put_in_full(const world* w, const char* name, size_t bytes, double seconds) {
  in_full = 1;
  for (long number = 1; number <= full_operations; ++number) {
    before_put(w, bytes, number);
    if (w->me == 0)
      w->put(bytes, number);
    else if (seconds != 0)
      compute_as(w, seconds);
    after_put(w, name, bytes);
  }
  in_full = 0;
}

static void measure_put(const world* w, size_t bytes) {
  before_put(w, bytes, timed_operations(bytes));
  if (w->me == 0) tell("put", bytes, time_batches(w->put, bytes));
  after_put(w, "put", bytes);
  put_in_full(w, "put", bytes, 0);
}

static void before_get(const world* w, size_t bytes, long number) {
  fill(expected, bytes, number);
  if (w->me == 0)
    spoil(w->source, bytes);
  else
    memcpy(w->target, expected, bytes);
  w->meet();
}

static void after_get(const world* w, size_t bytes) {
  if (w->me == 0) check(w->source, "get", bytes, bytes);
  w->meet();
}

static void measure_get(const world* w, size_t bytes) {
  before_get(w, bytes, 77);
  if (w->me == 0) tell("get", bytes, time_batches(w->get, bytes));
  after_get(w, bytes);
  in_full = 1;
  for (long number = 1; number <= full_operations; ++number) {
    before_get(w, bytes, number);
    if (w->me == 0) w->get(bytes, number);
    after_get(w, bytes);
  }
  in_full = 0;
}

static void measure_moves(const world* w) {
  for (size_t i = 0; i < COUNT(move_sizes); ++i) {
    measure_put(w, move_sizes[i]);
    measure_get(w, move_sizes[i]);
  }
}
