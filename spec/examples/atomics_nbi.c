/* SPDX-License-Identifier: BSD-3-Clause
 * Fetch and add on every PE, without waiting for each. */
#include <shmem.h>

enum { most = 64 };
static long counter;

int main(void) {
  shmem_init();
  const int n = shmem_n_pes() < most ? shmem_n_pes() : most;
  long before[most];

  for (int pe = 0; pe < n; pe++) shmem_long_atomic_fetch_add_nbi(&before[pe], &counter, 1, pe);
  shmem_quiet(); /* before[] is filled */

  shmem_barrier_all();
  const int wrong = before[0] < 0 || counter < 1;
  shmem_finalize();
  return wrong;
}
