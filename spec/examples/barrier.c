/* SPDX-License-Identifier: BSD-3-Clause
 * Puts before a barrier, and stores before a sync. */
#include <shmem.h>

static int box;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_int_p(&box, me, (me + 1) % n);
  shmem_barrier_all(); /* box holds the number of the left neighbour */
  const int left = box;

  shmem_sync_all();                  /* all PEs have read; completes no puts */
  shmem_team_sync(SHMEM_TEAM_WORLD); /* the same for a team */
  shmem_finalize();
  return left != (me + n - 1) % n;
}
