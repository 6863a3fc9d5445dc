#include <shmem.h>
#include <stdio.h>
static long x, y;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_p(&x, 1, 1);
#ifdef FENCE
    shmem_fence();
#endif
    shmem_long_atomic_set(&y, 1, 1);
  } else {
    shmem_long_wait_until(&y, SHMEM_CMP_NE, 0);
    printf("x=%ld\n", x);
  }
  shmem_finalize();
  return 0;
}
