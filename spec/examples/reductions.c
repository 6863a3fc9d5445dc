/* SPDX-License-Identifier: BSD-3-Clause
 * A sum in place, and the largest number. */
#include <shmem.h>

static double sums[2];
static int number, largest;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  sums[0] = 1;
  sums[1] = me;
  number = me;

  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sums, sums, 2);
  shmem_int_max_reduce(SHMEM_TEAM_WORLD, &largest, &number, 1);

  const int wrong = sums[0] != n || largest != n - 1;
  shmem_finalize();
  return wrong;
}
