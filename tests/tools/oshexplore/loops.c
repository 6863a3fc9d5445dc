/* Many steps; with BOUNDED, a loop that gives up; with COUNTED, one that ends although nothing changes; with NOTHING,
 * tests of no object. */
#include <shmem.h>
static long x[64], flag;
int main(void) {
  shmem_init();
#ifdef BOUNDED
  for (int i = 0; i < 5 && !shmem_long_test(&flag, SHMEM_CMP_NE, 0); i++) {
  }
#elif defined(COUNTED)
  volatile long* const limit = x;
  x[0] = 100000;
  for (long i = 0; i < *limit; i++) {
  }
#elif defined(NOTHING)
  for (int i = 0; i < 1000; i++)
    if (!shmem_long_test_all(x, 0, NULL, SHMEM_CMP_EQ, 1)) return 1;
#else
  for (int i = 0; i < 1000000; i++) {
    shmem_long_p(&x[i % 64], i, 0);
    shmem_fence();
  }
#endif
  shmem_finalize();
  return 0;
}
