/* SPDX-License-Identifier: BSD-3-Clause
 * Each PE sends i + 1 elements to PE i; the root gathers one of each. */
#include <shmemx.h>
#include <stddef.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  size_t out_counts[64], out_begin[64], in_counts[64], in_begin[64], total = 0;
  if (n > 64) shmem_global_exit(1);
  for (int i = 0; i < n; i++) {
    out_counts[i] = (size_t)i + 1;
    out_begin[i] = total;
    total += out_counts[i];
    in_counts[i] = (size_t)me + 1;
    in_begin[i] = (size_t)i * in_counts[i];
  }
  int *in = shmem_malloc((size_t)n * (size_t)n * sizeof *in), *out = shmem_malloc(total * sizeof *out);
  int* roots = shmem_malloc((size_t)n * sizeof *roots);
  for (size_t k = 0; k < total; k++) out[k] = me;

  shmemx_int_alltoallv(SHMEM_TEAM_WORLD, in, in_counts, in_begin, out, out_counts, out_begin);
  shmemx_int_gather(SHMEM_TEAM_WORLD, roots, out, 1, 0);

  const int wrong = in[in_begin[n - 1]] != n - 1 || (me == 0 && roots[n - 1] != n - 1);
  shmem_free(roots);
  shmem_free(out);
  shmem_free(in);
  shmem_finalize();
  return wrong;
}
