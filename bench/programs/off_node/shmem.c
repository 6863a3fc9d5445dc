/* Puts, gets, atomics and collectives between hosts in OpenSHMEM, for `oshbench run off-node`. */
#include <shmem.h>
#include <string.h>

#include "cases.h"

static int far;
static char *source, *target;
static long* counter;

static void put(size_t bytes, long number) {
  stamp(source, bytes, number);
  shmem_putmem(target, source, bytes, far);
  shmem_quiet();
}
static void get(size_t bytes, long number) {
  stamp(source, bytes, -number);  // what the last get brought is gone
  shmem_getmem(source, target, bytes, far);
}

static long fetch_add(void) { return shmem_long_atomic_fetch_add(counter, 1, far); }
static long counted(void) { return shmem_long_atomic_fetch(counter, far); }
static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  shmem_barrier_all();
}

// Messages. A flag or a signal has the number of the last one; a process counts those that it sent and received.
static int partner;
static long sent, received;
static long* flag;
static uint64_t* arrival;

static void send_with_flag(size_t bytes, long number) {
  stamp(source, bytes, number);
  shmem_putmem(target, source, bytes, partner);
  shmem_quiet();
  shmem_long_p(flag, ++sent, partner);
}
static void receive_by_flag(size_t bytes) {
  (void)bytes;
  shmem_long_wait_until(flag, SHMEM_CMP_GE, ++received);
}

static long* raised;
static void raise_flag(long value) { shmem_long_p(raised, value, partner); }
static long await_flag(long value) {
  shmem_long_wait_until(raised, SHMEM_CMP_GE, value);
  return *raised;
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5  // teams and signals
static void broadcast(size_t bytes, long number) {
  (void)number;
  shmem_broadcastmem(SHMEM_TEAM_WORLD, target, source, bytes, 0);
}
static void sum(size_t bytes, long number) {
  (void)number;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, (long*)target, (const long*)source, bytes / sizeof(long));
}
static void fcollect(size_t bytes, long number) {
  (void)number;
  shmem_fcollectmem(SHMEM_TEAM_WORLD, target, source, bytes);
}
static void alltoall(size_t bytes, long number) {
  (void)number;
  shmem_alltoallmem(SHMEM_TEAM_WORLD, target, source, bytes);
}
#define TEAM_CALLS broadcast, sum, fcollect, alltoall

static void send_with_signal(size_t bytes, long number) {
  stamp(source, bytes, number);
  shmem_putmem_signal(target, source, bytes, arrival, (uint64_t)++sent, SHMEM_SIGNAL_SET, partner);
}
static void receive_by_signal(size_t bytes) {
  (void)bytes;
  shmem_signal_wait_until(arrival, SHMEM_CMP_GE, (uint64_t)++received);
}
#define SIGNAL_FORM {"pp_signal", send_with_signal, receive_by_signal},
#else
#define TEAM_CALLS NULL, NULL, NULL, NULL
#define SIGNAL_FORM
#endif

static const message_form forms[] = {SIGNAL_FORM{"pp_quiet", send_with_flag, receive_by_flag}};

int main(int argc, char** argv) {
  is_quick = is_given(argc, argv, "quick");
  shmem_init();
  const int me = shmem_my_pe(), n_pes = shmem_n_pes();
  far = n_pes / 2;
  partner = (me + n_pes / 2) % n_pes;
  source = shmem_malloc(room_for(n_pes));
  target = shmem_malloc(room_for(n_pes));
  counter = shmem_malloc(sizeof *counter);
  flag = shmem_malloc(sizeof *flag);
  arrival = shmem_malloc(sizeof *arrival);
  raised = shmem_malloc(sizeof *raised);
  *counter = first_count;
  *flag = 0;
  *arrival = 0;
  *raised = 0;
  const int status =
      measure_all(&(world){me, n_pes, source, target, put, get, shmem_barrier_all, fetch_add, counted, raise_flag,
                           await_flag, barrier, TEAM_CALLS, target, forms, COUNT(forms), NULL},
                  is_given(argc, argv, "messages"));
  shmem_finalize();
  return status;
}

// ---- Faults (see engine.h), in shmem_* routines over their pshmem_* twins

// Fault: a put drops its middle from the second of its length on.
// Noticed by: put, pp_quiet
#ifdef BENCH_FAULT
#include <pshmem.h>
static size_t last;
void shmem_putmem(void* d, const void* s, size_t n, int pe) {
  if (n < 24 || n != last) return last = n, pshmem_putmem(d, s, n, pe);
  pshmem_putmem(d, s, 8, pe);
  pshmem_putmem((char*)d + n - 8, (const char*)s + n - 8, 8, pe);
}
#endif

// Fault: a put leaves out the highest byte of a long.
// Noticed by: put, put_computing, pp_quiet
#ifdef BENCH_FAULT
#include <pshmem.h>
void shmem_putmem(void* d, const void* s, size_t n, int pe) { pshmem_putmem(d, s, n == 8 ? 7 : n, pe); }
#endif

// Fault: p stores a value that is one too high.
// Noticed by: flag
#ifdef BENCH_FAULT
#include <pshmem.h>
void shmem_long_p(long* d, long value, int pe) { pshmem_long_p(d, value + 1, pe); }
#endif

// Fault: a put with signal brings the data of the call before it.
// Noticed by: pp_signal
#ifdef BENCH_FAULT
#include <pshmem.h>
#include <stdlib.h>
static void* kept;
static size_t kept_bytes;
void shmem_putmem_signal(void* d, const void* s, size_t n, uint64_t* sig, uint64_t v, int op, int pe) {
  void* const now = memcpy(malloc(n), s, n);
  pshmem_putmem_signal(d, n == kept_bytes ? kept : s, n, sig, v, op, pe);
  free(kept);
  kept = now;
  kept_bytes = n;
}
#endif

// Fault: a get is stale from the second of its length on.
// Noticed by: get
#ifdef BENCH_FAULT
#include <pshmem.h>
#include <stdlib.h>
static void* kept;
static size_t kept_bytes;
void shmem_getmem(void* d, const void* s, size_t n, int pe) {
  if (n != kept_bytes) {
    pshmem_getmem(d, s, n, pe);
    kept = memcpy(realloc(kept, n), d, n);
  }
  memcpy(d, kept, kept_bytes = n);
}
#endif

// Fault: fetch_add returns the lower half of a long.
// Noticed by: fetch_add
#ifdef BENCH_FAULT
#include <pshmem.h>
long shmem_long_atomic_fetch_add(long* d, long value, int pe) {
  return (int)pshmem_long_atomic_fetch_add(d, value, pe);
}
#endif

// Fault: collectives write their first element only.
// Noticed by: broadcast, sum, fcollect, alltoall
#ifdef BENCH_FAULT
#include <pshmem.h>
#include <stdlib.h>
static char* before;
static void* keep(const void* d, size_t n) { return before = memcpy(realloc(before, n), d, n); }
static int restore(void* d, size_t n, int status) { return memcpy((char*)d + 8, before + 8, n - 8), status; }
int shmem_broadcastmem(shmem_team_t t, void* d, const void* s, size_t n, int root) {
  keep(d, n);
  return restore(d, n, pshmem_broadcastmem(t, d, s, n, root));
}
int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n) {
  keep(d, 8 * n);
  return restore(d, 8 * n, pshmem_long_sum_reduce(t, d, s, n));
}
int shmem_fcollectmem(shmem_team_t t, void* d, const void* s, size_t n) {
  keep(d, 2 * n);
  return restore(d, 2 * n, pshmem_fcollectmem(t, d, s, n));
}
int shmem_alltoallmem(shmem_team_t t, void* d, const void* s, size_t n) {
  keep(d, 2 * n);
  return restore(d, 2 * n, pshmem_alltoallmem(t, d, s, n));
}
#endif

// Fault: blocks are swapped.
// Noticed by: fcollect, alltoall
#ifdef BENCH_FAULT
#include <pshmem.h>
static int swap(char* d, size_t n, int status) {
  for (size_t at = 0; at < n; ++at) {
    const char byte = d[at];
    d[at] = d[n + at];
    d[n + at] = byte;
  }
  return status;
}
int shmem_fcollectmem(shmem_team_t t, void* d, const void* s, size_t n) {
  return swap(d, n, pshmem_fcollectmem(t, d, s, n));
}
int shmem_alltoallmem(shmem_team_t t, void* d, const void* s, size_t n) {
  return swap(d, n, pshmem_alltoallmem(t, d, s, n));
}
#endif

// Fault: a result of the first broadcast, or of the first sum, is given again.
// Noticed by: broadcast, sum
#ifdef BENCH_FAULT
#include <pshmem.h>
#include <stdlib.h>
typedef struct {
  void* bytes;
  size_t count;
} result;
static result from_root, of_all;
static int again(result* r, void* d, size_t n, int status) {
  if (n != r->count) r->bytes = memcpy(realloc(r->bytes, n), d, n);
  memcpy(d, r->bytes, r->count = n);
  return status;
}
int shmem_broadcastmem(shmem_team_t t, void* d, const void* s, size_t n, int root) {
  return again(&from_root, d, n, pshmem_broadcastmem(t, d, s, n, root));
}
int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n) {
  return again(&of_all, d, 8 * n, pshmem_long_sum_reduce(t, d, s, n));
}
#endif
