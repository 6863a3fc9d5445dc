// 1022 teams exist at a time beside the predefined ones, also if they span nodes, and the last one works as the first.
// The next creation fails on every PE. A destroyed team makes room.
// @extension
// @run pes=1,3,4
#include "check.h"

enum { most = 1022, n = 3000 };

static shmem_team_t teams[most];
static long source[n], dest[n];

static int create(shmem_team_t* team) {
  return shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, team);
}

static void sum_over(shmem_team_t team) {
  for (int i = 0; i < n; i++) source[i] = shmem_my_pe() + i, dest[i] = -1;
  shmem_long_sum_reduce(team, dest, source, n);
  const long pes = shmem_n_pes();
  for (int i = 0; i < n; i++) CHECK(dest[i] == pes * (pes - 1) / 2 + pes * i, "element %d: %ld", i, dest[i]);
  shmem_team_sync(team);
}

int main(void) {
  shmem_init();
  for (int i = 0; i < most; i++) CHECK(create(&teams[i]) == 0, "team %d", i);
  sum_over(teams[0]);
  sum_over(teams[most - 1]);
  shmem_team_t another = SHMEM_TEAM_WORLD;
  CHECK(create(&another) != 0, "one team more than promised");
  CHECK(another == SHMEM_TEAM_INVALID, "a handle of a team that does not exist");
  shmem_team_destroy(teams[most / 2]);
  CHECK(create(&teams[most / 2]) == 0, "no room after a team was destroyed");
  sum_over(teams[most / 2]);
  for (int i = 0; i < most; i++) shmem_team_destroy(teams[i]);
  shmem_finalize();
  return 0;
}
