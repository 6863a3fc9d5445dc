#include <assert.h>
#include <shmem.h>
static long x;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_p(&x, 1, 1);
    shmem_global_exit(0);
  }
  shmem_long_wait_until(&x, SHMEM_CMP_NE, 0);
#ifdef WRONG
  assert(x == 0);
#endif
  return 0;
}
