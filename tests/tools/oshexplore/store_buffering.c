#include <shmem.h>
#include <stdio.h>
static long x, y;
int main(void) {
  shmem_init();
  long r = 0;
  if (shmem_my_pe() == 0) {
    shmem_long_p(&x, 1, 1);
#ifdef QUIET
    shmem_quiet();
#endif
    r = shmem_long_g(&y, 0);
  } else {
    shmem_long_p(&y, 1, 0);
#ifdef QUIET
    shmem_quiet();
#endif
    r = shmem_long_g(&x, 1);
  }
  printf("r=%ld ", r);
  shmem_finalize();
  return 0;
}
