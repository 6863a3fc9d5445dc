// What the wrappers tell about each call. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum oshprof_kind {
  oshprof_send, oshprof_recv, oshprof_both, oshprof_wait, oshprof_coll, oshprof_rma, oshprof_sync, oshprof_other
};

// One row of a table of calls.
struct oshprof_call {
  const char *name;
  enum oshprof_kind kind;
};

// Nanoseconds of a clock that only grows.
uint64_t oshprof_now(void);

// A call of `call`, made at `caller`, begun at `began` and over now. `pattern` tells apart what is moved where: calls with
// equal numbers move the same shape of data between the same processes.
void oshprof_note(const struct oshprof_call *call, const void *caller, uint64_t began, uint64_t bytes, uint64_t pattern);

// The clock of the run starts, with this many processes; and everything is written out when all that started have
// stopped. An MPI program that also uses OpenSHMEM starts and stops twice.
void oshprof_start(const char *interface, int process, int processes);
void oshprof_stop(void);

// The function that `name` would be without us: the profiling entry p<name> of the library, else the next <name>.
void *oshprof_next(const char *profiling_name, const char *name);

// A variable of the library. A program may have its own copy, which then is the one that everybody uses.
void *oshprof_variable(const char *name);

static inline uint64_t oshprof_mix(uint64_t seed, uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  return seed * 0x100000001b3u;
}

#ifdef __cplusplus
}
#endif
