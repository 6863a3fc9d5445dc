/* Puts, gets, atomics and collectives between hosts in OpenSHMEM, for bench/off_node.py. PE 0 moves bytes to the first
 * PE of the other half, which is on the second host; all others are in a barrier meanwhile. */
#include <shmem.h>
#include <string.h>

#include "measure.h"

static int me, n_pes, far;
static char *source, *target;
static long *counter;

static void put(size_t bytes, long number) {
  memcpy(source, &number, sizeof number);
  memcpy(source + bytes - sizeof number, &number, sizeof number);
  shmem_putmem(target, source, bytes, far);
  shmem_quiet();
}
static void get(size_t bytes, long number) {
  (void)number;
  shmem_getmem(source, target, bytes, far);
}
static void fetch_add(size_t bytes, long number) {
  (void)bytes, (void)number;
  shmem_long_atomic_fetch_add(counter, 1, far);
}

static void moves(void) {
  for (size_t i = 0; i < COUNT(move_sizes); ++i) {
    const size_t bytes = move_sizes[i];
    if (me == 0) {
      tell("put", bytes, time_batches(put, bytes));
      const long last = *(long *)source;
      memset(source, 0, bytes);
      tell("get", bytes, time_batches(get, bytes));
      demand(*(long *)source == last && memcmp(source + bytes - sizeof last, &last, sizeof last) == 0, "put", bytes);
    }
    shmem_barrier_all();
  }
  if (me == 0) {
    const long before = shmem_long_atomic_fetch(counter, far);
    tell("fetch_add", 8, time_batches(fetch_add, 8));
    const long n = operations(8);
    demand(shmem_long_atomic_fetch(counter, far) - before == n / 4 + 1 + batches * n, "fetch_add", 8);
  }
  shmem_barrier_all();
  if (me == 0) time_single(put, "put_computing", 30);
  else compute(1.0);
  shmem_barrier_all();
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5  // teams
static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  shmem_barrier_all();
}
static void broadcast(size_t bytes, long number) {
  (void)number;
  shmem_broadcastmem(SHMEM_TEAM_WORLD, target, source, bytes, 0);
}
static void sum(size_t bytes, long number) {
  (void)number;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, (long *)target, (const long *)source, bytes / sizeof(long));
}
static void fcollect(size_t bytes, long number) {
  (void)number;
  shmem_fcollectmem(SHMEM_TEAM_WORLD, target, source, bytes);
}
static void alltoall(size_t bytes, long number) {
  (void)number;
  shmem_alltoallmem(SHMEM_TEAM_WORLD, target, source, bytes);
}

static void collectives(void) {
  static const struct {
    const char *name;
    void (*call)(size_t, long);
  } all[] = {{"broadcast", broadcast}, {"sum", sum}, {"fcollect", fcollect}, {"alltoall", alltoall}};
  double us = time_batches(barrier, 8);
  if (me == 0) tell("barrier", 0, us);
  for (size_t c = 0; c < COUNT(all); ++c)
    for (size_t i = 0; i < COUNT(collective_sizes); ++i) {
      const size_t bytes = collective_sizes[i];
      for (size_t k = 0; k < (size_t)n_pes * bytes / sizeof(long); ++k) ((long *)source)[k] = me + 1;
      shmem_barrier_all();
      us = time_batches(all[c].call, bytes);
      if (me == 0) tell(all[c].name, bytes, us);
      const long first = *(long *)target, total = (long)n_pes * (n_pes + 1) / 2;
      demand(c == 0 ? me == 0 || first == 1 : c == 1 ? first == total : first == 1, all[c].name, bytes);
      shmem_barrier_all();
    }
}
#else
static void collectives(void) {}
#endif

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  far = n_pes / 2;
  const size_t room = (size_t)(n_pes < 4 ? 4 : n_pes) << 20;
  source = shmem_malloc(room);
  target = shmem_malloc(room);
  counter = shmem_calloc(1, sizeof *counter);
  memset(source, 0, room);
  memset(target, 0, room);
  shmem_barrier_all();
  if (n_pes == 2) moves();
  collectives();
  shmem_finalize();
  return 0;
}
