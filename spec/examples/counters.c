/* SPDX-License-Identifier: BSD-3-Clause
 * A PE waits for two puts, and then knows that its neighbour has read them. */
#include <shmemx.h>

static long box[2], seen[2];

int main(void) {
  shmem_init();
  const int n = shmem_n_pes(), right = (shmem_my_pe() + 1) % n, left = (shmem_my_pe() + n - 1) % n;
  const double begin = shmemx_wtime();
  shmemx_ct_t arrived, taken;
  shmemx_ct_create(&arrived);
  shmemx_ct_create(&taken);
  const long one = 1, two = 2;
  shmemx_putmem_ct(arrived, &box[0], &one, sizeof one, right);
  shmemx_putmem_ct(arrived, &box[1], &two, sizeof two, right);
  shmemx_ct_wait(arrived, 2); /* both puts of the left neighbour are here */
  shmem_barrier_all();
  shmemx_getmem_ct(taken, seen, box, sizeof seen, left);
  shmemx_ct_wait(taken, 1); /* the right neighbour has read box */
  const int wrong = box[0] != 1 || box[1] != 2 || seen[1] != 2 || shmemx_wtime() < begin;
  shmemx_ct_set(taken, 0);
  const int counted = (int)shmemx_ct_get(arrived);
  shmemx_ct_free(&taken);
  shmemx_ct_free(&arrived);
  shmem_finalize();
  return wrong || counted != 2;
}
