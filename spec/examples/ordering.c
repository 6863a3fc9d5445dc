/* SPDX-License-Identifier: BSD-3-Clause
 * Data, a fence, a flag: the flag never comes first. */
#include <shmem.h>

static long data[100];
static int flag;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  long mine[100];
  for (int i = 0; i < 100; i++) mine[i] = me + i;

  shmem_long_put(data, mine, 100, right);
  shmem_fence();
  shmem_int_p(&flag, 1, right);

  shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  const int wrong = data[99] != (me + n - 1) % n + 99;

  shmem_quiet();             /* both puts are complete at the neighbour */
  shmem_pe_quiet(&right, 1); /* the same, for operations on one PE */
  shmem_finalize();
  return wrong;
}
