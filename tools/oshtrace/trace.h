// The interface by which the wrappers (made by generate.py) record calls. Any thread may call it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/find_function.h"

#ifdef __cplusplus
extern "C" {
#endif

// The effect of a call on other PEs, or the event that it waits for.
enum oshtrace_kind {
  oshtrace_put,     // bytes or a signal to a PE
  oshtrace_atomic,  // an atomic operation on a PE
  oshtrace_get,
  oshtrace_wait,        // for a write by another PE
  oshtrace_order,       // quiet, fence: until earlier puts have completed
  oshtrace_collective,  // all wait for the last PE
  oshtrace_rooted,      // all wait for the root
  oshtrace_lock,
  oshtrace_release,
  oshtrace_race  // no call: a report of `oshcc --races`
};

// One completed call.
struct oshtrace_call {
  const char* name;
  enum oshtrace_kind kind;
  void* ctx;  // NULL: the default context
  int pe;     // in the world; -1: none or unknown
  uint64_t bytes;
  const void* object;  // symmetric: written, fetched, or waited for
  const void* signal;  // symmetric: the signal that is written or waited for
  uint64_t group;      // of a collective: equal on its members
};

// Start of the call, whose return address is `caller`; 0: do not record it, because a library made it inside another
// call.
uint64_t oshtrace_enter(const void* caller);
void oshtrace_leave(uint64_t began, const struct oshtrace_call* call);

// World numbers of PEs, and numbers of teams; -1 and 0 if there is none.
int oshtrace_pe(void* ctx, int pe);
int oshtrace_member(void* team, int pe);
uint64_t oshtrace_group(void* team);
uint64_t oshtrace_active_set(int start, int log_stride, int size);

// Called after the library is initialised, and before it is finalised. Collective.
void oshtrace_start(void);
void oshtrace_stop(void);

// The function that the wrapper `name` replaces: that of the race detector, if the program has it, otherwise that of
// the library.
void* oshtrace_next(const char* profiling_name, const char* name);

// For the race detector. The return address of the traced call in which this thread is; NULL: it is in none.
const void* oshtrace_caller(void);
// Marks a race that this thread has just met. `offset`: of the return address of the other access in the program, and
// `pe` made it.
void oshtrace_add_race(const char* report, int pe, uint64_t offset);

#ifdef __cplusplus
}
#endif
