/* PE 0 fails in the first order that is run, before PE 1 has done anything. */
#include <assert.h>
#include <shmem.h>
#include <stdio.h>
static long x;
int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    assert(x == 1);
    puts("passed");
  } else {
    shmem_long_p(&x, 1, 0);
  }
  shmem_finalize();
  return 0;
}
