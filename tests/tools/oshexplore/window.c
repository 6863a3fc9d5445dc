/* A flag is set for a while, and a PE may see it then. Prints whether it has. */
#include <shmem.h>
#include <stdio.h>

static long flag, seen, ready;

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_wait_until(&ready, SHMEM_CMP_EQ, 1);
    shmem_long_atomic_swap(&flag, 1, 1);
    shmem_long_atomic_swap(&flag, 0, 1);
    const long was_seen = shmem_long_atomic_fetch(&seen, 0);
    shmem_long_atomic_swap(&flag, 1, 1);
    printf("seen=%ld\n", was_seen);
  } else {
    shmem_long_atomic_fetch_inc(&ready, 0);
    shmem_long_atomic_fetch_inc(&ready, 1);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_atomic_fetch_inc(&seen, 0);
  }
  shmem_finalize();
  return 0;
}
