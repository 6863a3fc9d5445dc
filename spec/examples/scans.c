/* SPDX-License-Identifier: BSD-3-Clause
 * Where the block of each PE begins in a common array. */
#include <shmem.h>

static long length, begin, end;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  length = me + 1;

  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, &begin, &length, 1); /* 0 on PE 0 */
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, &end, &length, 1);

  const int wrong = end - begin != length || begin != (long)me * (me + 1) / 2;
  shmem_finalize();
  return wrong;
}
