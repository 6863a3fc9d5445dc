/* SPDX-License-Identifier: BSD-3-Clause
 * Start a put and a get, compute, complete both. */
#include <shmem.h>

static double inbox[100], field[100], theirs[100];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  for (int i = 0; i < 100; i++) field[i] = me;
  shmem_barrier_all();

  shmem_double_put_nbi(inbox, field, 100, right);
  shmem_double_get_nbi(theirs, field, 100, right);
  /* compute here, without changing field or reading theirs */
  shmem_quiet();

  const int wrong_get = theirs[99] != right;
  shmem_barrier_all();
  const int wrong_put = inbox[99] != (me + n - 1) % n;
  shmem_finalize();
  return wrong_get || wrong_put;
}
