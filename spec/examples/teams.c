/* SPDX-License-Identifier: BSD-3-Clause
 * Teams of the even PEs, and of rows and columns. */
#include <shmem.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t even, row, column;

  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &even);
  if (even != SHMEM_TEAM_INVALID) {
    if (shmem_team_translate_pe(even, shmem_team_my_pe(even), SHMEM_TEAM_WORLD) != me) shmem_global_exit(1);
    shmem_team_sync(even);
    shmem_team_destroy(even);
  }

  shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column); /* rows of two PEs */
  printf("PE %d is %d of its row, %d of its column\n", me, shmem_team_my_pe(row), shmem_team_my_pe(column));
  shmem_team_destroy(row);
  shmem_team_destroy(column);
  shmem_finalize();
  return 0;
}
