/* SPDX-License-Identifier: BSD-3-Clause
 * Each PE writes an array into the memory of its right neighbour. */
#include <shmem.h>

static double inbox[100]; /* symmetric: it exists on every PE */
static int from;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  double mine[100]; /* private */
  for (int i = 0; i < 100; i++) mine[i] = me;

  shmem_double_put(inbox, mine, 100, right); /* in C11 and C++ also shmem_put */
  shmem_int_p(&from, me, right);
  shmem_barrier_all(); /* the puts of all PEs are complete */

  const int left = (me + n - 1) % n, wrong = inbox[99] != left || from != left;
  shmem_finalize();
  return wrong;
}
