/* SPDX-License-Identifier: BSD-3-Clause
 * Allocate many blocks with one barrier instead of one for each block. */
#include <shmemx.h>

enum { BLOCKS = 1000 };
static double* block[BLOCKS];

int main(void) {
  shmem_init();
  for (int i = 0; i < BLOCKS; i++) {
    block[i] = shmem_malloc_with_hints(100 * sizeof(double), SHMEMX_MALLOC_NO_BARRIER);
    if (block[i] == NULL) shmem_global_exit(1); /* NULL on all PEs */
  }
  shmem_barrier_all(); /* now all PEs have all blocks */

  for (int i = 0; i < BLOCKS; i++) shmem_double_p(block[i], i, (shmem_my_pe() + 1) % shmem_n_pes());

  shmem_barrier_all(); /* no PE uses the blocks any more */
  for (int i = 0; i < BLOCKS; i++) shmemx_free_no_barrier(block[i]);
  shmem_finalize();
  return 0;
}
