#include <assert.h>
#include <shmem.h>
static long x, f;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    long b = 1;
    shmem_long_put_nbi(&x, &b, 1, 1);
#ifdef EARLY
    b = 2;
#endif
    shmem_quiet();
    b = 3;
    shmem_long_p(&f, 1, 1);
  } else {
    shmem_long_wait_until(&f, SHMEM_CMP_EQ, 1);
    assert(x == 1);
  }
  shmem_finalize();
  return 0;
}
