/* SPDX-License-Identifier: BSD-3-Clause
 * A column of a matrix travels while the PE computes. */
#include <shmemx.h>

static int matrix[4][4], back[4];

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  static const int column[4] = {1, 2, 3, 4};
  shmemx_int_iput_nbi(&matrix[0][1], column, 4, 1, 4, right); /* every fourth element there, every one here */
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += column[i];
  shmem_barrier_all(); /* completes the put */

  shmemx_int_ibget_nbi(back, &matrix[0][0], 2, 4, 2, 2, right); /* two blocks of two elements */
  shmem_quiet();
  const int wrong = sum != 10 || matrix[3][1] != 4 || back[1] != 1 || back[3] != 2;
  shmem_barrier_all();
  shmem_finalize();
  return wrong;
}
