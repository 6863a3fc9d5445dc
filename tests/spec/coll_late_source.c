// A member's source must be ready only when that member makes the call: no peer may read it before. A member's dest may
// be written before its call. Late members prepare their source at the last moment.
// @since 1.5
#include <time.h>
#include "check.h"

enum { count = 3000 };

int main(void) {
  static long source[count], sum[count], all[64 * count];
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int late = 0; late < n; late++) {
    for (int i = 0; i < count; i++) source[i] = -1;  // poison, which an early reader would see
    shmem_barrier_all();
    if (me == late) nanosleep(&(struct timespec){0, 3000000}, NULL);
    for (int i = 0; i < count; i++) source[i] = me + i;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, source, count) == 0, "sum");
    for (int i = 0; i < count; i++) source[i] = 2 * me + i;  // locally complete, so that it may be reused
    CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, all, source, count) == 0, "fcollect");
    for (int i = 0; i < count; i++) {
      CHECK(sum[i] == (long)n * (n - 1) / 2 + (long)n * i, "late %d: sum %ld at %d", late, sum[i], i);
      for (int pe = 0; pe < n; pe++)
        CHECK(all[pe * count + i] == 2 * pe + i, "late %d: element %d of PE %d", late, i, pe);
    }
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
