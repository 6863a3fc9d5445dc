#include <assert.h>
#include <shmem.h>
static long flag, sum, lockw;
static long buf[4];
/* lost wake-up: the flag is reset after the neighbour may have set it again */
int main(void) {
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < 2; i++) {
    shmem_long_atomic_set(&flag, 1, (me + 1) % n);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    flag = 0;
  }
  shmem_finalize();
  return 0;
}
