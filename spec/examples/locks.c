/* SPDX-License-Identifier: BSD-3-Clause
 * One PE at a time adds to a counter on PE 0. */
#include <shmem.h>

static long lock; /* 0 on all PEs */
static int counter;

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();

  if (shmem_test_lock(&lock) != 0) shmem_set_lock(&lock);
  shmem_int_p(&counter, shmem_int_g(&counter, 0) + 1, 0);
  shmem_clear_lock(&lock); /* completes the put */

  shmem_barrier_all();
  const int wrong = shmem_int_g(&counter, 0) != n;
  shmem_finalize();
  return wrong;
}
