/* SPDX-License-Identifier: BSD-3-Clause
 * Ask for threads, and look at the level that was granted. */
#include <shmem.h>

int main(void) {
  int granted;

  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &granted) != 0) return 1;
  shmem_query_thread(&granted);
  if (granted < SHMEM_THREAD_MULTIPLE) shmem_global_exit(2);
  shmem_finalize();
  return 0;
}
