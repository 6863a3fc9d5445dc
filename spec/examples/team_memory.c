/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a team: each half of the PEs allocates as much as it needs, and does not wait for the other half. */
#include <shmemx.h>
#include <stddef.h>

int main(void) {
  shmem_init();
  const int half = shmem_my_pe() % 2;
  shmem_team_t team;
  if (shmemx_team_split_color(SHMEM_TEAM_WORLD, half, 0, NULL, 0, &team) != 0) shmem_global_exit(1);

  const size_t cells = half == 0 ? 1000 : 50000;
  double* field = shmemx_team_calloc(team, cells, sizeof *field);
  if (field == NULL) shmem_global_exit(1); /* NULL on all PEs of the team */

  const int next = (shmem_team_my_pe(team) + 1) % shmem_team_n_pes(team);
  shmem_double_p(field, 1.0, shmem_team_translate_pe(team, next, SHMEM_TEAM_WORLD));
  shmemx_team_barrier(team);

  shmemx_team_free(team, field);
  shmem_team_destroy(team); /* would free it, too */
  shmem_finalize();
  return 0;
}
