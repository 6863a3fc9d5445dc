// Every case of every table, for whatever OpenSHMEM library compiled this. The driver says which files it could not
// compile.
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "tell_shmem.h"

long* target;
unsigned char* remote_block;
unsigned char* local_block;
int next_pe;

void memory_open(void) {
  remote_block = shmem_align(4096, block_bytes);
  local_block = aligned_alloc(4096, block_bytes);
  if (remote_block == NULL || local_block == NULL) {
    fprintf(stderr, "bench: no memory for two blocks of %d bytes\n", (int)block_bytes);
    shmem_global_exit(2);
  }
  target = (long*)(void*)remote_block;
  next_pe = (shmem_my_pe() + 1) % shmem_n_pes();
}

void memory_close(void) {
  shmem_free(remote_block);
  free(local_block);
}

// Open MPI gives its web address as its name; the version is in its header.
static void library_name(char* name, size_t room) {
#ifdef OSHMEM_MAJOR_VERSION
  snprintf(name, room, "Open MPI OSHMEM %d.%d.%d", OSHMEM_MAJOR_VERSION, OSHMEM_MINOR_VERSION,
           OSHMEM_RELEASE_VERSION);
#else
  (void)room;
  shmem_info_get_name(name);
#endif
}

int main(int argc, char** argv) {
  static const bench_case* const between[] = {
#ifndef BENCH_WITHOUT_SMALL
      small_cases,
#endif
#ifndef BENCH_WITHOUT_BLOCK
      block_cases,
#endif
#ifndef BENCH_WITHOUT_COLD
      cold_cases,
#endif
#ifndef BENCH_WITHOUT_ELEMENTS
      element_cases,
#endif
#ifndef BENCH_WITHOUT_STREAM
      stream_cases,
#endif
#ifndef BENCH_WITHOUT_STRIDED
      strided_cases,
#endif
#ifndef BENCH_WITHOUT_TARGET
      target_cases,
#endif
#ifndef BENCH_WITHOUT_WAIT
      wait_cases,
#endif
#ifndef BENCH_WITHOUT_PINGPONG
      pingpong_cases,
#endif
#ifndef BENCH_WITHOUT_ATOMICS
      atomic_cases,
#endif
#ifndef BENCH_WITHOUT_AMO
      amo_cases,
#endif
#ifndef BENCH_WITHOUT_WAITS
      wait_set_cases,
#endif
#ifndef BENCH_WITHOUT_ORDER
      order_cases,
#endif
#ifndef BENCH_WITHOUT_LOCKS
      lock_cases,
#endif
      NULL};
  static const bench_case* const tables[] = {
#ifndef BENCH_WITHOUT_BARRIER
      barrier_cases,
#endif
#ifndef BENCH_WITHOUT_ACTIVE_SETS
      active_set_cases,
#endif
#ifndef BENCH_WITHOUT_COLLECTIVES
      collective_cases,
#endif
#ifndef BENCH_WITHOUT_REDUCE
      reduce_cases,
#endif
#ifndef BENCH_WITHOUT_TEAMS
      team_cases,
#endif
#ifndef BENCH_WITHOUT_MANAGE
      manage_cases,
#endif
      NULL};
  shmem_init();
  char name[SHMEM_MAX_NAME_LEN + 64];
  library_name(name, sizeof name);
  const bench_suite suite = {.program = name, .tables = tables, .between = between, .tell = tell_by_shmem};
  memory_open();
  const long failed = bench_run(&suite, shmem_my_pe(), shmem_n_pes(), argc, argv);
  memory_close();
  shmem_finalize();
  return failed != 0;
}
