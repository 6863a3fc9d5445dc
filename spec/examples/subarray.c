/* SPDX-License-Identifier: BSD-3-Clause
 * The last column of a field becomes the ghost column of the right neighbour. */
#include <shmemx.h>

static double field[4][6]; /* column 0 is the ghost column */

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < 4; i++) field[i][5] = 10 * me + i;
  shmem_barrier_all();
  const size_t sizes[] = {4, 6}, last[] = {0, 5}, ghost[] = {0, 0}, column[] = {4, 1};
  shmemx_subarray_put(field, sizes, ghost, field, sizes, last, column, 2, sizeof(double), (me + 1) % n);
  shmem_barrier_all();
  const int wrong = field[3][0] != 10 * ((me + n - 1) % n) + 3;
  shmem_finalize();
  return wrong;
}
