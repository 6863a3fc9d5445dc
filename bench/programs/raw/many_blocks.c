/* Allocates and releases many blocks with a barrier for each, and with one barrier for all (shmemx.h), in turn. Prints
 * the medians as a table.
 *
 *   oshrun -n 8 bench-many-blocks
 */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { n_blocks = 1000, block_bytes = 800, n_rounds = 7 };

static void* blocks[n_blocks];

static void allocate(void) {
  for (int i = 0; i < n_blocks; i++) blocks[i] = shmem_malloc(block_bytes);
}

static void release(void) {
  for (int i = 0; i < n_blocks; i++) shmem_free(blocks[i]);
}

static void allocate_with_one_barrier(void) {
  for (int i = 0; i < n_blocks; i++) blocks[i] = shmem_malloc_with_hints(block_bytes, SHMEMX_MALLOC_NO_BARRIER);
  shmem_barrier_all();
}

static void release_with_one_barrier(void) {
  shmem_barrier_all();
  for (int i = 0; i < n_blocks; i++) shmemx_free_no_barrier(blocks[i]);
}

enum { n_acts = 4 };
static void (*const acts[n_acts])(void) = {allocate, release, allocate_with_one_barrier, release_with_one_barrier};

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The time of the slowest PE, in ms. */
static double time_of(void (*act)(void)) {
  static double mine, slowest;
  shmem_sync_all();
  const double begin = now_ms();
  act();
  mine = now_ms() - begin;
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, &slowest, &mine, 1);
  return slowest;
}

static void require_blocks(void) {
  for (int i = 0; i < n_blocks; i++) {
    if (blocks[i] != NULL) continue;
    fprintf(stderr, "many_blocks: PE %d: no memory for block %d\n", shmem_my_pe(), i);
    shmem_global_exit(1);
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* times) {
  qsort(times, n_rounds, sizeof *times, compare);
  return times[n_rounds / 2];
}

int main(void) {
  shmem_init();
  double times[n_acts][n_rounds];
  for (int round = 0; round < n_rounds; round++) {
    for (int act = 0; act < n_acts; act++) {
      times[act][round] = time_of(acts[act]);
      require_blocks();
    }
  }
  if (shmem_my_pe() == 0) {
    const int pes = shmem_n_pes();
    printf("| | with a barrier for each | with one for all |\n|---|---|---|\n");
    printf("| %d PEs: %d blocks of %d bytes | %.2f ms | %.2f ms |\n", pes, n_blocks, block_bytes, median(times[0]),
           median(times[2]));
    printf("| %d PEs: their release | %.2f ms | %.2f ms |\n", pes, median(times[1]), median(times[3]));
  }
  shmem_finalize();
  return 0;
}
