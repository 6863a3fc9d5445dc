// The smallest program. The driver times it from exec to exit and reads the memory of each PE.
#include <shmem.h>
#include <stdio.h>

#include "memory_use.h"

int main(void) {
  shmem_init();
  shmem_barrier_all();
  printf("hello from %d of %d, VmHWM %ld kB, PSS %ld kB\n", shmem_my_pe(), shmem_n_pes(), memory_high_water_kb(),
         memory_share_kb());
  fflush(stdout);
  shmem_finalize();
  return 0;
}
