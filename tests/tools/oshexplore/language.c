/* A flag that its owner reads by an atomic load of C. With PLAIN: by a load. */
#include <shmem.h>
static long x, flag;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_p(&x, 1, 1);
    shmem_fence();
    shmem_long_atomic_set(&flag, 1, 1);
  } else {
#ifdef PLAIN
    while (*(volatile long*)&flag == 0) {
    }
#else
    while (__atomic_load_n(&flag, __ATOMIC_SEQ_CST) == 0) {
    }
#endif
    x = 2;
  }
  shmem_finalize();
  return 0;
}
