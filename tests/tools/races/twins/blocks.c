// As twins.c: pairs of programs about blocks that are allocated without a barrier of all PEs.
//
// usage: blocks NAME wrong|right     on 3 PEs
#include <shmemx.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { n = 64 };
static long data[n];
static int me, last;
static bool right;

// case early_put: block[*]: nothing orders them
static void early_put(void) {
  long* const block = shmem_malloc_with_hints(n * sizeof *block, SHMEMX_MALLOC_NO_BARRIER);
  if (me == last) block[3] = 1;  // races
  if (right) shmem_barrier_all();
  if (me == 0) shmem_long_p(&block[3], 2, last);  // races
  shmem_barrier_all();
  shmemx_free_no_barrier(block);
}

// case malloc_without_barrier: data[*]: nothing orders them
static void malloc_without_barrier(void) {
  if (me == last) data[1] = 1;  // races
  void* const block = shmem_malloc_with_hints(n, right ? 0 : SHMEMX_MALLOC_NO_BARRIER);
  if (me == 0) shmem_long_p(&data[1], 2, last);  // races
  shmem_free(block);
}

// case team_block: block[*]: nothing orders them
static void team_block(void) {
  long* const block = shmemx_team_malloc(SHMEM_TEAM_WORLD, n * sizeof *block);
  if (me == last) block[3] = 1;  // races
  if (right) shmem_team_sync(SHMEM_TEAM_WORLD);
  if (me == 0) shmem_long_p(&block[3], 2, last);  // races
  shmemx_team_free(SHMEM_TEAM_WORLD, block);
}

// case free_of_team: data[*]: nothing orders them
static void free_of_team(void) {
  void* const block = shmemx_team_malloc(SHMEM_TEAM_WORLD, n);
  if (me == last) data[1] = 1;  // races
  if (right) shmemx_team_free(SHMEM_TEAM_WORLD, block);
  if (me == 0) shmem_long_p(&data[1], 2, last);  // races
  if (!right) shmemx_team_free(SHMEM_TEAM_WORLD, block);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"early_put", early_put},
             {"malloc_without_barrier", malloc_without_barrier},
             {"team_block", team_block},
             {"free_of_team", free_of_team}};

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  last = shmem_n_pes() - 1;
  right = argc == 3 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 3 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  shmem_barrier_all();
  if (me == 0) puts("done");
  shmem_finalize();
  return 0;
}
