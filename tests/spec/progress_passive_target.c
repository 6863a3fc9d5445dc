// Strong progress: puts, gets and atomics complete on a PE that computes and makes no calls.
// @races Several PEs put the same value into one object.
#include "check.h"

int main(void) {
  static long inbox, counter, stop = 0;
  static long outbox = 77;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_barrier_all();
  if (me == 0) {
    // Makes no OpenSHMEM call until the others are done; only reads its own memory.
    while (__atomic_load_n(&stop, __ATOMIC_ACQUIRE) < n - 1) continue;
    CHECK(counter == 2 * (n - 1) && (n == 1 || inbox > 0), "counter %ld, inbox %ld", counter, inbox);
  } else {
    shmem_long_p(&inbox, me, 0);
    CHECK(shmem_long_g(&outbox, 0) == 77, "get from a busy PE");
    shmem_long_atomic_fetch_add(&counter, 2, 0);
    shmem_quiet();
    shmem_long_atomic_inc(&stop, 0);
    shmem_quiet();
  }
  shmem_finalize();
  return 0;
}
