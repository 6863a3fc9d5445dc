/* SPDX-License-Identifier: BSD-3-Clause
 * All PEs add to one sum. */
#include <shmemx.h>

static double sum = 0.5;

int main(void) {
  shmem_init();
  shmemx_double_atomic_add(&sum, 2.0, 0);
  const double before = shmemx_double_atomic_fetch_add(&sum, 1.0, 0);
  shmem_barrier_all();
  const int wrong = before < 2.5 || (shmem_my_pe() == 0 && sum != 0.5 + 3.0 * shmem_n_pes());
  shmem_finalize();
  return wrong;
}
