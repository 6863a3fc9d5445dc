/* A quiet for PE 2 only, before PE 2 is told. With WRONG: for PE 1 only. */
#include <assert.h>
#include <shmem.h>
static long x, y, flag;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
#ifdef WRONG
    const int pe = 1;
#else
    const int pe = 2;
#endif
    shmem_long_p(&x, 1, 2);
    shmem_long_p(&y, 1, 1);
    shmem_pe_quiet(&pe, 1);
    shmem_long_atomic_set(&flag, 1, 2);
  } else if (shmem_my_pe() == 2) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    assert(x == 1);
  }
  shmem_finalize();
  return 0;
}
