// What the wrappers (made by generate.py) tell about each call. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a call does to others, or waits for.
enum oshtrace_kind {
  oshtrace_put,         // bytes, or a signal, to a PE
  oshtrace_change,      // an atomic operation there
  oshtrace_get,
  oshtrace_wait,        // until another PE has written
  oshtrace_order,       // quiet, fence: until what was put has come
  oshtrace_collective,  // all wait for the last
  oshtrace_rooted,      // all wait for the root
  oshtrace_lock,
  oshtrace_release
};

// One call, when it is over.
struct oshtrace_call {
  const char *name;
  enum oshtrace_kind kind;
  void *ctx;           // NULL: the default context
  int pe;              // in the world; -1: none, or unknown
  uint64_t bytes;
  const void *place;   // symmetric: what is written, fetched, or watched
  const void *signal;  // symmetric: the signal, written or watched
  uint64_t group;      // of a collective: equal on its members
};

// When the call began; 0: not to be noted, since a library made it within another call.
uint64_t oshtrace_enter(void);
void oshtrace_leave(uint64_t began, const struct oshtrace_call *call);

// Numbers in the world, and numbers of teams; -1 and 0 where there is none.
int oshtrace_pe(void *ctx, int pe);
int oshtrace_member(void *team, int pe);
uint64_t oshtrace_group(void *team);
uint64_t oshtrace_active_set(int start, int log_stride, int size);

// The library has been initialised; it is about to be finalised. Collective.
void oshtrace_start(void);
void oshtrace_stop(void);

// The function that `name` would be without us (tools/oshprof/next.cpp).
void *oshprof_next(const char *profiling_name, const char *name);

#ifdef __cplusplus
}
#endif
