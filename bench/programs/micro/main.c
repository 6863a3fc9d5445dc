// Runs the cases of all files that were linked with this one.
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

// The name of Open MPI is its web address; its header has the version.
static void library_name(char* name, size_t room) {
#ifdef OSHMEM_MAJOR_VERSION
  snprintf(name, room, "Open MPI OSHMEM %d.%d.%d", OSHMEM_MAJOR_VERSION, OSHMEM_MINOR_VERSION, OSHMEM_RELEASE_VERSION);
#else
  (void)room;
  shmem_info_get_name(name);
#endif
}

int main(int argc, char** argv) {
  shmem_init();
  char name[SHMEM_MAX_NAME_LEN + 64];
  library_name(name, sizeof name);
  const bench_suite suite = {.program = name, .tell = tell_by_shmem};
  memory_open();
#ifdef BENCH_MEET_BY_LIBRARY
  page_also_meet = shmem_barrier_all;
#endif
  const long failed = bench_run(&suite, shmem_my_pe(), shmem_n_pes(), argc, argv);
  memory_close();
  shmem_finalize();
  return failed != 0;
}
