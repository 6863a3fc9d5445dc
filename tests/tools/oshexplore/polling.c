#include <shmem.h>
#include <stdio.h>
static long x, y;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_put_nbi(&x, &(long){1}, 1, 1);
    shmem_quiet();
    shmem_long_p(&y, 1, 1);
  } else {
    while (!shmem_long_test(&y, SHMEM_CMP_NE, 0));
    printf("x=%ld\n", x);
  }
  shmem_barrier_all();
  long s = shmem_my_pe() + 1;
  static long a, b;
  a = s;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &b, &a, 1);
  printf("sum %ld\n", b);
  shmem_finalize();
  return 0;
}
