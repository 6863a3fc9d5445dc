// start_pes ignores the number, a second call does nothing, and no finalize is needed. The implicit finalize at exit is
// collective: the last puts of a fast PE still arrive at a slow one.
// @run -> ok /the late PE has it/
#include <time.h>
#include "check.h"

int main(void) {
  static long inbox;
  start_pes(0);
  start_pes(4711);
  const int me = shmem_my_pe(), n = shmem_n_pes();
  CHECK(me >= 0 && me < n && n < 4711, "I am %d of %d", me, n);
  shmem_barrier_all();
  shmem_long_atomic_inc(&inbox, n - 1);
  if (me == n - 1) {  // the others have begun to exit
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    shmem_long_wait_until(&inbox, SHMEM_CMP_EQ, n);
    for (int pe = 0; pe < n; pe++) CHECK(shmem_long_g(&inbox, pe) == (pe == me ? n : 0), "PE %d is gone", pe);
    printf("the late PE has it\n");
  }
  return 0;
}
