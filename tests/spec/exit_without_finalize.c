// Leaving main without shmem_finalize is safe: output is flushed, the status is the program's,
// nothing hangs.
// @run -> ok /all is well/
#include "check.h"

int main(void) {
  static int inbox;
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_int_p(&inbox, 1, right);
  shmem_int_wait_until(&inbox, SHMEM_CMP_EQ, 1);
  printf("all is well\n");
  return 0;
}
