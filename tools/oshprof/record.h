// What the wrappers tell about each call. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum oshprof_kind {
  oshprof_send, oshprof_recv, oshprof_both, oshprof_wait, oshprof_coll, oshprof_reduce, oshprof_rma, oshprof_sync,
  oshprof_other
};

// One row of a table of calls.
struct oshprof_call {
  const char *name;
  enum oshprof_kind kind;
};

// What a call moves. Equal patterns: the same shape of data between the same processes.
struct oshprof_traffic {
  uint64_t sent_messages, sent_bytes;  // or put, or contributed to a collective
  uint64_t got_messages, got_bytes;    // or received
  uint64_t pattern;
  int peer;  // process to which it sends, or from which it gets; -1: none, or many
};

// A call under way. Calls that a library makes within another call are not counted.
struct oshprof_visit {
  const void *caller;
  uint64_t began;
  int outermost;
};
struct oshprof_visit oshprof_enter(const void *caller);
void oshprof_leave(const struct oshprof_visit *visit, const struct oshprof_call *call, struct oshprof_traffic traffic);

// Within a wrapper for Fortran: its caller is the one that counts, until it is taken back with NULL.
void oshprof_on_behalf_of(const void *caller);

// Requests, by handle. Posted: this receive, or this persistent operation, is under way or prepared; over: it has
// brought so many bytes (sends: 0), or was cancelled (bytes < 0); forgotten: its handle is no longer one.
void oshprof_posted(uint64_t request, const struct oshprof_call* call, const void* caller,
                    struct oshprof_traffic traffic, int persistent);
struct oshprof_traffic oshprof_started(uint64_t request, const struct oshprof_call *call, const void *caller);
void oshprof_over(uint64_t request, int64_t bytes);
void oshprof_forgotten(uint64_t request);

// For timelines; nothing of it is called where none was asked for. A message leaves for a process, or came from one,
// both of whose ends know its envelope. `order` is that of the posting, 0: posted by the call that is under way.
extern int oshprof_draws;
void oshprof_left(uint64_t time, int process, uint64_t envelope);
void oshprof_came(int process, uint64_t envelope, uint64_t order);
// This persistent send goes there; this receive comes from a communicator, by handle, which may end before it.
void oshprof_carries(uint64_t request, int process, uint64_t envelope);
void oshprof_expects(uint64_t request, uint64_t communicator);
void oshprof_communicator_over(uint64_t communicator);
// What a receive comes from, 0 where that is unknown, and when it was posted.
uint64_t oshprof_expected(uint64_t request, uint64_t *order);

// Nanoseconds of a clock that only grows.
uint64_t oshprof_now(void);

// The clock of the run starts, with this many processes; and everything is written out when all that started have
// stopped. An MPI program that also uses OpenSHMEM starts and stops twice.
void oshprof_start(const char *interface, int process, int processes);
void oshprof_stop(void);

// The function that `name` would be without us: the profiling entry p<name> of the library, else the next <name>.
void *oshprof_next(const char *profiling_name, const char *name);

// A variable of the library, or null. A program may have its own copy, which then is the one that everybody uses.
void *oshprof_variable(const char *name);

static inline uint64_t oshprof_mix(uint64_t seed, uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  return seed * 0x100000001b3u;
}

#ifdef __cplusplus
}
#endif
