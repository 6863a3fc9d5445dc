// The root of a broadcast needs no reply, so it may run far ahead: it completes hundreds of broadcasts before a slow PE
// enters the first. The last PE of a collect may do the same when the other PEs contribute nothing.
// @since 1.5
// @run
// @run pes=5 OSHEN_CHAOS=3
#include <time.h>
#include "check.h"

enum { rounds = 500 };

static void dawdle_unless(int fast) {
  if (!fast) nanosleep(&(struct timespec){0, 5000000}, NULL);
}

int main(void) {
  static long source, dest[rounds], collected[rounds];
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int root = 0; root < n; root++) {
    memset(dest, 0, sizeof dest);
    memset(collected, 0, sizeof collected);
    shmem_barrier_all();
    dawdle_unless(me == root);
    for (int r = 0; r < rounds; r++) {
      source = 1000 * root + r;  // the source may be reused at once
      CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, &dest[r], &source, 1, root) == 0, "broadcast");
    }
    shmem_barrier_all();
    dawdle_unless(me == root);
    for (int r = 0; r < rounds; r++) {
      source = 2000 * root + r;
      CHECK(shmem_long_collect(SHMEM_TEAM_WORLD, &collected[r], &source, me == root) == 0, "collect");
    }
    for (int r = 0; r < rounds; r++) {
      CHECK(dest[r] == 1000 * root + r, "broadcast %d from %d brought %ld", r, root, dest[r]);
      CHECK(collected[r] == 2000 * root + r, "collect %d from %d brought %ld", r, root, collected[r]);
    }
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
