// Extension: OSHEN_CHAOS delays PEs inside collectives. One event in 64 sleeps, and the kernel counts sleeps; results
// stay right. Without OSHEN_CHAOS such a loop rarely sleeps.
// @extension
// @run pes=2 OSHEN_CHAOS=5
#include <sys/resource.h>
#include "check.h"

enum { rounds = 10000 };

static long sleeps(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

int main(void) {
  static long sum, mine;
  shmem_init();
  const long before = sleeps(), n = shmem_n_pes();
  for (int r = 0; r < rounds; r++) {
    mine = r + shmem_my_pe();
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1) == 0, "round %d", r);
    CHECK(sum == r * n + n * (n - 1) / 2, "round %d: %ld", r, sum);
    shmem_sync_all();
  }
  const long slept = sleeps() - before;
  CHECK(slept > 2 * rounds / 64 / 2, "%ld sleeps in %d rounds", slept, rounds);
  shmem_finalize();
  return 0;
}
