// The interface by which the wrappers record calls. Any thread may call it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/find_function.h"

#ifdef __cplusplus
extern "C" {
#endif

enum oshprof_kind {
  oshprof_send,
  oshprof_recv,
  oshprof_both,
  oshprof_wait,
  oshprof_coll,
  oshprof_reduce,
  oshprof_rma,
  oshprof_sync,
  oshprof_other
};

// A wrapped function.
struct oshprof_call {
  const char* name;
  enum oshprof_kind kind;
};

// The data that a call moves. Calls with equal patterns move data of the same shape between the same processes.
struct oshprof_traffic {
  uint64_t sent_messages, sent_bytes;  // sent, put, or contributed to a collective
  uint64_t got_messages, got_bytes;    // received or fetched
  uint64_t pattern;
  int peer;  // process to which it sends, or from which it gets; -1: none, or several
};

// A call in progress. Calls that a library makes inside another call are not counted.
struct oshprof_visit {
  const void* caller;
  uint64_t began;
  int outermost;
};
struct oshprof_visit oshprof_enter(const void* caller);
void oshprof_leave(const struct oshprof_visit* visit, const struct oshprof_call* call, struct oshprof_traffic traffic);

// Used by Fortran wrappers: sets the caller of the following calls, until it is reset with NULL.
void oshprof_set_caller(const void* caller);

// Requests, by handle. posted: a receive is posted, or a persistent operation prepared. completed: it received so many
// bytes (sends: 0), or was cancelled (bytes < 0). freed: the handle is no longer valid.
void oshprof_request_posted(uint64_t request, const struct oshprof_call* call, const void* caller,
                            struct oshprof_traffic traffic, int persistent);
struct oshprof_traffic oshprof_request_started(uint64_t request, const struct oshprof_call* call,
                                               const struct oshprof_visit* visit);
void oshprof_request_completed(uint64_t request, int64_t bytes);
void oshprof_request_freed(uint64_t request);

// For timelines, and called only if one was requested. A message is sent to a process, or was received from one. Both
// ends know its envelope. `order` is the order in which the receive was posted; 0: by the current call.
extern int oshprof_draws_timeline;
void oshprof_message_sent(uint64_t time, int process, uint64_t envelope);
void oshprof_message_received(int process, uint64_t envelope, uint64_t order);
// The destination of a persistent send; the communicator of a receive, by handle, which may be freed before it
// completes.
void oshprof_request_sends_to(uint64_t request, int process, uint64_t envelope);
void oshprof_request_receives_from(uint64_t request, uint64_t communicator);
void oshprof_communicator_freed(uint64_t communicator);
// The communicator of a receive, or 0 if unknown, and its order.
uint64_t oshprof_request_origin(uint64_t request, uint64_t* order);

// Nanoseconds of a monotonic clock.
uint64_t oshprof_now(void);

// Starts the time of the run with this many processes. When every start has its stop, the profile is written. An MPI
// program that also uses OpenSHMEM starts and stops twice.
void oshprof_start(const char* interface, int process, int processes);
void oshprof_stop(void);

static inline uint64_t oshprof_mix(uint64_t seed, uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  return seed * 0x100000001b3u;
}

#ifdef __cplusplus
}
#endif
