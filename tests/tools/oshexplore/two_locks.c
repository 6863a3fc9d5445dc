#include <shmem.h>
static long l1, l2;
int main(void) {
  shmem_init();
  long *a = shmem_my_pe() ? &l1 : &l2, *b = shmem_my_pe() ? &l2 : &l1;
  shmem_set_lock(a);
  shmem_set_lock(b);
  shmem_clear_lock(b);
  shmem_clear_lock(a);
  shmem_finalize();
  return 0;
}
