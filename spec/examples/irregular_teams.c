/* SPDX-License-Identifier: BSD-3-Clause
 * A team by colour, and one from a list. */
#include <shmemx.h>
#include <stddef.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t half, ends;

  shmemx_team_split_color(SHMEM_TEAM_WORLD, me % 2, -me, NULL, 0, &half); /* last PE first */
  shmemx_team_barrier(half);
  shmem_team_destroy(half);

  if (n > 1 && (me == 0 || me == n - 1)) { /* only these PEs call */
    const int pes[2] = {n - 1, 0};
    if (shmemx_team_create_from_list(pes, 2, &ends) != 0) shmem_global_exit(1);
    shmem_team_destroy(ends);
  }
  shmem_finalize();
  return 0;
}
