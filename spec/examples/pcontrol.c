/* SPDX-License-Identifier: BSD-3-Clause
 * Profile only the loop. */
#include <shmem.h>

int main(void) {
  shmem_init();
  shmem_pcontrol(0); /* a tool stops recording */
  shmem_barrier_all();
  shmem_pcontrol(1);
  for (int i = 0; i < 10; i++) shmem_barrier_all();
  shmem_finalize();
  return 0;
}
