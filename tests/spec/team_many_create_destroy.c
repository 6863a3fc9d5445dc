// Teams are created and destroyed: more than 2000 in turn, and many at the same time, each of which works.
// @since 1.5
#include "check.h"

enum { in_turn = 2100, alive = 40 };

static void check_alive_together(void) {
  static int one = 1, sum[alive];
  shmem_team_t teams[alive];
  const int n = shmem_n_pes();
  for (int i = 0; i < alive; i++)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1 + i % n, NULL, 0, &teams[i]) == 0, "team %d of %d", i,
          alive);
  for (int i = 0; i < alive; i++) {
    if (teams[i] == SHMEM_TEAM_INVALID) continue;
    CHECK(shmem_int_sum_reduce(teams[i], &sum[i], &one, 1) == 0, "team %d", i);
    CHECK(sum[i] == 1 + i % n, "team %d of %d PEs counted %d", i, 1 + i % n, sum[i]);
  }
  // Destroys them in another order than that of creation.
  for (int i = 0; i < alive; i += 2) shmem_team_destroy(teams[i]);
  for (int i = 1; i < alive; i += 2) shmem_team_destroy(teams[i]);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  check_alive_together();
  for (int i = 0; i < in_turn; i++) {
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, 1 + i % n, NULL, 0, &team) == 0, "team %d", i);
    if (i % 64 == 0 && team != SHMEM_TEAM_INVALID) CHECK(shmem_team_sync(team) == 0, "sync %d", i);
    shmem_team_destroy(team);
  }
  check_alive_together();
  shmem_finalize();
  return 0;
}
