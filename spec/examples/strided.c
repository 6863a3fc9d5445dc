/* SPDX-License-Identifier: BSD-3-Clause
 * A column of a matrix, and blocks of two elements. */
#include <shmem.h>

static int matrix[4][4], blocks[8];

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  const int column[4] = {1, 2, 3, 4}, pairs[4] = {5, 6, 7, 8};

  shmem_int_iput(&matrix[0][1], column, 4, 1, 4, right); /* every fourth element there, every one here */
  shmem_int_ibput(blocks, pairs, 4, 2, 2, 2, right);     /* two blocks of two elements, four apart there */
  shmem_barrier_all();

  int back[4], both[4];
  shmem_int_iget(back, &matrix[0][1], 1, 4, 4, right);
  shmem_int_ibget(both, blocks, 2, 4, 2, 2, right);
  const int wrong = matrix[3][1] != 4 || back[3] != 4 || blocks[5] != 8 || both[3] != 8;
  shmem_barrier_all();
  shmem_finalize();
  return wrong;
}
