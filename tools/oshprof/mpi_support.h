// Helpers of the MPI wrappers: sizes, processes and handles, by the library's profiling interface.
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "record.h"

// Declares `function`, the library's own `name`, which is looked up once.
#define MPI_FIND(function, name)     \
  static __typeof__(name)* function; \
  if (function == NULL) *(void**)&function = oshen_next_function("P" #name, #name)

static inline uint64_t mpi_bytes(int count, MPI_Datatype type) {
  MPI_FIND(next, MPI_Type_size);
  int bytes = 0;
  if (count < 0 || next(type, &bytes) != MPI_SUCCESS) return 0;
  return (uint64_t)count * (uint64_t)bytes;
}

static inline uint64_t mpi_bytes_of_all(const int* counts, MPI_Datatype type, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += mpi_bytes(counts[i], type);
  return sum;
}

static inline uint64_t mpi_bytes_of_each(const int* counts, const MPI_Datatype* types, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += mpi_bytes(counts[i], types[i]);
  return sum;
}

static inline uint64_t mpi_shape(const int* counts, uint64_t n) {
  uint64_t mixed = 0;
  for (uint64_t i = 0; counts != NULL && i < n; ++i) mixed = oshprof_mix(mixed, (uint64_t)counts[i]);
  return mixed;
}

static inline uint64_t mpi_ranks(MPI_Comm comm) {
  MPI_FIND(next, MPI_Comm_size);
  int n = 0;
  next(comm, &n);
  return (uint64_t)n;
}

static inline int mpi_rank(MPI_Comm comm) {
  MPI_FIND(next, MPI_Comm_rank);
  int here = 0;
  next(comm, &here);
  return here;
}

static inline int mpi_in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

// Start and end of MPI; only the first call of any wrapper counts.
void oshprof_mpi_begin(void);
void oshprof_mpi_end(void);

// The number of neighbours that this process sends to.
uint64_t mpi_targets(MPI_Comm comm);

// Open MPI's world communicator is a variable of its library, which may be loaded after this one.
static inline MPI_Comm mpi_world(void) {
#ifdef OPEN_MPI
  return (MPI_Comm)oshen_library_variable("ompi_mpi_comm_world");
#else
  return MPI_COMM_WORLD;
#endif
}

// The process that has this rank in the communicator or window; -1 if there is none.
int mpi_process_of_comm(MPI_Comm comm, int there);
int mpi_process_of_win(MPI_Win win, int there);

// For timelines: a hash of the communicator's processes and the tag, which both ends of a message know, and records of
// a message sent or received. Communicators with the same processes share envelopes.
uint64_t mpi_envelope(MPI_Comm comm, int tag);
void mpi_message_sent(const struct oshprof_visit* visit, MPI_Comm comm, int dest, int tag);
void mpi_message_received(const struct oshprof_visit* visit, MPI_Comm comm, const MPI_Status* status);

static inline uint64_t mpi_handle(MPI_Request request) { return (uint64_t)(intptr_t)request; }

// Bytes of a received message; negative if it was cancelled.
int64_t mpi_received_bytes(const MPI_Status* status);

// The traffic of each kind of call. Messages to or from MPI_PROC_NULL do not count.
static inline struct oshprof_traffic mpi_sent(int process, int dest, uint64_t bytes, uint64_t pattern) {
  const uint64_t one = dest != MPI_PROC_NULL;
  return (struct oshprof_traffic){one, one * bytes, 0, 0, oshprof_mix(pattern, bytes), process};
}

static inline struct oshprof_traffic mpi_got(int process, int source, int64_t bytes, uint64_t pattern) {
  const uint64_t one = source != MPI_PROC_NULL && bytes >= 0;
  return (struct oshprof_traffic){0, 0, one, one * (uint64_t)bytes, pattern, process};
}

static inline struct oshprof_traffic mpi_plus(struct oshprof_traffic a, struct oshprof_traffic b) {
  return (struct oshprof_traffic){a.sent_messages + b.sent_messages, a.sent_bytes + b.sent_bytes,
                                  a.got_messages + b.got_messages,   a.got_bytes + b.got_bytes,
                                  oshprof_mix(a.pattern, b.pattern), a.peer};
}

static inline struct oshprof_traffic mpi_contributed(uint64_t bytes, uint64_t pattern) {
  return (struct oshprof_traffic){0, bytes, 0, 0, oshprof_mix(pattern, bytes), -1};
}
