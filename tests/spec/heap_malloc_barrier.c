// malloc ends with a barrier, so a peer's block may be written at once. free begins with a barrier, so earlier puts are
// complete before the block is reused.
#include <time.h>
#include "check.h"

int main(void) {
  static long seen;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int round = 0; round < 50; round++) {
    if (round % n == me) nanosleep(&(struct timespec){0, 200000}, NULL);
    long* block = shmem_malloc(sizeof(long));
    shmem_long_p(block, me + 1000 * round + 1, right);  // no barrier of our own
    shmem_long_wait_until(block, SHMEM_CMP_EQ, left + 1000 * round + 1);
    const long message = me + 7 * round;
    shmem_long_put_nbi(&seen, &message, 1, right);
    shmem_free(block);
    CHECK(seen == left + 7 * round, "free did not complete the put: %ld", seen);
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
