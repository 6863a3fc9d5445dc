/* SPDX-License-Identifier: BSD-3-Clause
 * Each PE reads an array of its right neighbour. */
#include <shmem.h>

static double field[100];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  for (int i = 0; i < 100; i++) field[i] = me;
  shmem_barrier_all(); /* all fields are ready */

  double theirs[100];
  shmem_double_get(theirs, field, 100, right);
  const double first = shmem_double_g(&field[0], right);

  shmem_barrier_all(); /* no PE changes its field before all have read */
  shmem_finalize();
  return theirs[99] != right || first != right;
}
