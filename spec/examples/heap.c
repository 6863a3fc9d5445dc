/* SPDX-License-Identifier: BSD-3-Clause
 * Allocate on all PEs, grow, look at the heap, free. */
#include <shmemx.h>
#include <stdint.h>

int main(void) {
  shmem_init();
  double* cells = shmem_malloc(1000 * sizeof *cells);
  uint64_t* flags = shmem_calloc((size_t)shmem_n_pes(), sizeof *flags); /* zero */
  char* lines = shmem_align(4096, 8192);
  if (cells == NULL || flags == NULL || lines == NULL) shmem_global_exit(1); /* NULL on all PEs */

  cells = shmem_realloc(cells, 2000 * sizeof *cells);

  shmemx_heap_info_t info;
  shmemx_heap_info(&info, sizeof info);

  shmem_free(lines);
  shmem_free(flags);
  shmem_free(cells);
  shmem_finalize();
  return 0;
}
