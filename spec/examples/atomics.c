/* SPDX-License-Identifier: BSD-3-Clause
 * Count all PEs, choose a first one, set bits, all on PE 0. */
#include <shmem.h>
#include <stdint.h>

static long count, first = -1;
static uint64_t bits;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();

  const long ticket = shmem_long_atomic_fetch_inc(&count, 0);         /* each PE gets another one */
  shmem_long_atomic_add(&count, 10, 0);                               /* no answer is needed */
  const long was = shmem_long_atomic_compare_swap(&first, -1, me, 0); /* -1 for one PE only */
  shmem_uint64_atomic_or(&bits, UINT64_C(1) << (me % 64), 0);
  shmem_barrier_all();

  const int wrong = ticket < 0 || was == me || shmem_long_atomic_fetch(&count, 0) != 11L * n;
  shmem_finalize();
  return wrong;
}
