/* The smallest program that proves an installation: every PE communicates with the others. */
#include <shmem.h>
#include <stdio.h>

static int ones; /* static data is symmetric */

int main(void) {
  shmem_init();
  shmem_int_atomic_inc(&ones, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("%d of %d\n", ones, shmem_n_pes());
  shmem_finalize();
  return 0;
}
