// Uses the symmetric heap as its argument says; a memory checker must find each wrong use, and nothing in `right`.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long shared_counter;

static void use(volatile char* address) { *address = 1; }

// Blocks that come, grow, move and go, barriers, collectives and atomics.
static void right(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
    char* block = shmem_malloc(bytes);
    char* zeros = shmem_calloc(bytes, 2);
    memset(block, me, bytes);
    shmem_barrier_all();
    shmem_putmem(zeros, block, bytes, next);
    shmem_barrier_all();
    if (zeros[bytes - 1] != (char)((me + n - 1) % n)) shmem_global_exit(3);
    block = shmem_realloc(block, 2 * bytes);
    memset(block, 0, 2 * bytes);
    block = shmem_realloc(block, bytes / 2 + 1);
    use(block + bytes / 2);
    shmem_free(zeros);
    shmem_free(block);
    char* const of_team = shmemx_team_calloc(SHMEM_TEAM_WORLD, bytes, 1);
    memset(of_team, 1, bytes);
    shmemx_team_free(SHMEM_TEAM_WORLD, of_team);
  }
  static long sum, one = 1;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
  shmem_long_atomic_add(&shared_counter, sum, next);
  shmem_barrier_all();
  if (shared_counter != n) shmem_global_exit(4);
}

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "right";
  shmem_init();
  right();
  char* block = shmem_malloc(100);
  if (!strcmp(wanted, "beyond")) use(block + 100);
  if (!strcmp(wanted, "far_beyond")) use(block + 500);
  if (!strcmp(wanted, "shrunk")) use((block = shmem_realloc(block, 10)) + 11);
  shmem_free(block);
  if (!strcmp(wanted, "freed")) use(block + 50);
  char* const of_team = shmemx_team_malloc(SHMEM_TEAM_WORLD, 100);
  if (!strcmp(wanted, "team_beyond")) use(of_team + 100);
  shmemx_team_free(SHMEM_TEAM_WORLD, of_team);
  if (!strcmp(wanted, "team_freed")) use(of_team + 50);
  shmem_finalize();
  if (!strcmp(wanted, "right")) puts("used as it should be");
  return 0;
}
