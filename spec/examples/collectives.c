/* SPDX-License-Identifier: BSD-3-Clause
 * Broadcast, gather on all PEs, and exchange blocks. */
#include <shmem.h>
#include <stddef.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const size_t width = (size_t)n;
  static long seed, start;
  long *mine = shmem_malloc(width * sizeof *mine), *all = shmem_malloc(width * sizeof *all);
  for (int i = 0; i < n; i++) mine[i] = 100 * me + i;
  seed = me == 0 ? 42 : 0;

  shmem_long_broadcast(SHMEM_TEAM_WORLD, &start, &seed, 1, 0);
  shmem_long_alltoall(SHMEM_TEAM_WORLD, all, mine, 1); /* all[i] is mine[me] of PE i */
  const int wrong = start != 42 || all[n - 1] != 100 * (n - 1) + me;

  shmem_sync_all();                                    /* all PEs have read all[] */
  shmem_long_fcollect(SHMEM_TEAM_WORLD, all, mine, 1); /* all[i] is mine[0] of PE i */
  const int wrong_too = all[n - 1] != 100 * (n - 1);
  shmem_free(all);
  shmem_free(mine);
  shmem_finalize();
  return wrong || wrong_too;
}
