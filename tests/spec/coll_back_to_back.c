// Collectives may follow one another without a sync and with the same source: a fast PE must not disturb a slow one.
// Each PE is slow at random places.
// @since 1.6
// @run
// @run pes=5 OSHEN_CHAOS=3
// @run pes=5,8 OSHEN_COLL_DOMAIN=2 OSHEN_COLL_SYNC=hierarchical OSHEN_COLL_BROADCAST=hierarchical-put OSHEN_COLL_REDUCE=hierarchical-put
// @run pes=7 OSHEN_COLL_DOMAIN=3 OSHEN_COLL_BROADCAST=hierarchical-put OSHEN_COLL_REDUCE=hierarchical-put
#include <time.h>
#include "check.h"

enum { rounds = 300 };

static void dawdle(int round) {
  const long ns = ((long)round * 7919 + shmem_my_pe() * 104729) % 13 == 0 ? 50000 : 0;
  if (ns) nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = ns}, NULL);
}

int main(void) {
  static long mine, sum[rounds], maximum[rounds], broadcast[rounds], all[rounds][64], scan[rounds];
  static long source[rounds];
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int r = 0; r < rounds; r++) source[r] = me + r;
  shmem_barrier_all();
  for (int r = 0; r < rounds; r++) {
    dawdle(r);
    mine = source[r];  // the source may be reused after the earlier collectives
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum[r], &mine, 1) == 0, "sum");
    mine = source[r] * 2;
    CHECK(shmem_long_max_reduce(SHMEM_TEAM_WORLD, &maximum[r], &mine, 1) == 0, "max");
    mine = source[r] * 3;
    CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, &broadcast[r], &mine, 1, r % n) == 0, "broadcast");
    mine = source[r] * 4;
    CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, all[r], &mine, 1) == 0, "fcollect");
    mine = source[r] * 5;
    CHECK(shmem_long_sum_inscan(SHMEM_TEAM_WORLD, &scan[r], &mine, 1) == 0, "scan");
    mine = -1;
  }
  const long pes = (long)n * (n - 1) / 2;
  for (int r = 0; r < rounds; r++) {
    CHECK(sum[r] == pes + (long)n * r, "round %d: sum %ld", r, sum[r]);
    CHECK(maximum[r] == 2 * (n - 1 + r), "round %d: max %ld", r, maximum[r]);
    CHECK(broadcast[r] == 3 * (r % n + r), "round %d: broadcast %ld", r, broadcast[r]);
    for (int i = 0; i < n; i++) CHECK(all[r][i] == 4 * (i + r), "round %d: place %d", r, i);
    CHECK(scan[r] == 5 * ((long)(me + 1) * r + (long)me * (me + 1) / 2), "round %d: scan %ld", r, scan[r]);
  }
  shmem_finalize();
  return 0;
}
