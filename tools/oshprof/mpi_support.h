// For the wrappers of MPI: sizes, processes and handles, by the profiling names of the library.
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "record.h"

// The library's function behind a name, looked up once.
#define LIBRARYS(name) \
  static __typeof__(name) *next; \
  if (next == NULL) *(void **)&next = oshprof_next("P" #name, #name)

static inline uint64_t of(int count, MPI_Datatype type) {
  LIBRARYS(MPI_Type_size);
  int bytes = 0;
  if (count < 0 || next(type, &bytes) != MPI_SUCCESS) return 0;
  return (uint64_t)count * (uint64_t)bytes;
}

static inline uint64_t all(const int *counts, MPI_Datatype type, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += of(counts[i], type);
  return sum;
}

static inline uint64_t each(const int *counts, const MPI_Datatype *types, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += of(counts[i], types[i]);
  return sum;
}

static inline uint64_t shape(const int *counts, uint64_t n) {
  uint64_t mixed = 0;
  for (uint64_t i = 0; counts != NULL && i < n; ++i) mixed = oshprof_mix(mixed, (uint64_t)counts[i]);
  return mixed;
}

static inline uint64_t ranks(MPI_Comm comm) {
  LIBRARYS(MPI_Comm_size);
  int n = 0;
  next(comm, &n);
  return (uint64_t)n;
}

static inline int rank(MPI_Comm comm) {
  LIBRARYS(MPI_Comm_rank);
  int here = 0;
  next(comm, &here);
  return here;
}

static inline int in_place(const void *buffer) { return buffer == MPI_IN_PLACE; }

// The run of MPI's part begins and ends; once, whichever name was called.
void oshprof_mpi_begin(void);
void oshprof_mpi_end(void);

// Neighbours that this process sends to.
uint64_t targets(MPI_Comm comm);

// Open MPI's world is a variable of its library, which is not there yet when we are loaded.
static inline MPI_Comm world(void) {
#ifdef OPEN_MPI
  return (MPI_Comm)oshprof_variable("ompi_mpi_comm_world");
#else
  return MPI_COMM_WORLD;
#endif
}

// The process that has this rank there; -1 for none.
int process_of_comm(MPI_Comm comm, int there);
int process_of_win(MPI_Win win, int there);

// For timelines: what both ends of a message know of it, and that it has left, or come. Communicators of the same
// processes share envelopes.
uint64_t envelope_of(MPI_Comm comm, int tag);
void message_left(const struct oshprof_visit *visit, MPI_Comm comm, int dest, int tag);
void message_came(const struct oshprof_visit *visit, MPI_Comm comm, const MPI_Status *status);

static inline uint64_t handle(MPI_Request request) { return (uint64_t)(intptr_t)request; }

// Bytes of a message that has come; less than 0: it was cancelled.
int64_t bytes_of(const MPI_Status *status);

// What each kind of call moves. A message to or from nobody is none.
static inline struct oshprof_traffic sent(int process, int dest, uint64_t bytes, uint64_t pattern) {
  const uint64_t one = dest != MPI_PROC_NULL;
  return (struct oshprof_traffic){one, one * bytes, 0, 0, oshprof_mix(pattern, bytes), process};
}

static inline struct oshprof_traffic got(int process, int source, int64_t bytes, uint64_t pattern) {
  const uint64_t one = source != MPI_PROC_NULL && bytes >= 0;
  return (struct oshprof_traffic){0, 0, one, one * (uint64_t)bytes, pattern, process};
}

static inline struct oshprof_traffic plus(struct oshprof_traffic a, struct oshprof_traffic b) {
  return (struct oshprof_traffic){a.sent_messages + b.sent_messages, a.sent_bytes + b.sent_bytes,
                                  a.got_messages + b.got_messages, a.got_bytes + b.got_bytes,
                                  oshprof_mix(a.pattern, b.pattern), a.peer};
}

static inline struct oshprof_traffic contributed(uint64_t bytes, uint64_t pattern) {
  return (struct oshprof_traffic){0, bytes, 0, 0, oshprof_mix(pattern, bytes), -1};
}
