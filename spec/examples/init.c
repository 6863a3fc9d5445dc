/* SPDX-License-Identifier: BSD-3-Clause
 * Start, say hello, end. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
  char name[SHMEM_MAX_NAME_LEN];
  int initialized;

  shmem_init();
  shmem_info_get_name(name);
  printf("PE %d of %d with %s\n", shmem_my_pe(), shmem_n_pes(), name);
  if (shmem_n_pes() > 1000) shmem_global_exit(1); /* ends all PEs */
  shmem_finalize();
  shmem_query_initialized(&initialized);
  return initialized; /* 0 */
}
