/* SPDX-License-Identifier: BSD-3-Clause
 * A sum for the root only, and a sum of which each PE gets one element. */
#include <shmemx.h>
#include <stddef.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  double* terms = shmem_malloc((size_t)n * sizeof *terms);
  static double total, part;
  for (int i = 0; i < n; i++) terms[i] = i;

  shmemx_double_sum_reduce_to_root(SHMEM_TEAM_WORLD, &total, terms, 1, 0);
  shmemx_double_sum_reduce_scatter(SHMEM_TEAM_WORLD, &part, terms, 1);

  const int wrong = (me == 0 && total != 0) || part != (double)me * n;
  shmem_free(terms);
  shmem_finalize();
  return wrong;
}
