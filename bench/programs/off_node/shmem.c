/* Puts, gets, atomics and collectives between hosts in OpenSHMEM, for `oshbench run off-node`. */
#include <shmem.h>
#include <string.h>

#include "cases.h"

static int far;
static char *source, *target;
static long* counter;

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

static long counted(void) { return shmem_long_atomic_fetch(counter, far); }
static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  shmem_barrier_all();
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5  // teams
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
#else
#define TEAM_CALLS NULL, NULL, NULL, NULL
#endif

int main(int argc, char** argv) {
  is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  shmem_init();
  const int me = shmem_my_pe(), n_pes = shmem_n_pes();
  far = n_pes / 2;
  source = shmem_malloc(room_for(n_pes));
  target = shmem_malloc(room_for(n_pes));
  counter = shmem_calloc(1, sizeof *counter);
  measure_all(&(world){me, n_pes, source, target, put, get, fetch_add, counted, barrier, TEAM_CALLS});
  shmem_finalize();
  return 0;
}
