/* SPDX-License-Identifier: BSD-3-Clause
 * Count the puts of a phase, by target. */
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>

static long cell;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if (shmemx_pvar_start() != 0) shmem_global_exit(1);
  for (int pe = 0; pe <= me; pe++) shmem_long_p(&cell, me, pe);
  shmem_quiet();
  shmemx_pvar_stop();
  for (int pe = 0; pe < n; pe++) {
    const uint64_t puts_there = shmemx_pvar_read(SHMEMX_PVAR_PUT_OPERATIONS, pe);
    if (puts_there > 0) printf("PE %d -> PE %d: %llu\n", me, pe, (unsigned long long)puts_there);
  }
  shmem_finalize();
  return 0;
}
