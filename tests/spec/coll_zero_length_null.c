// Collectives of no elements accept null pointers and return 0, and the next collective works.
// @since 1.6
#include "teams.h"

static int one = 1, sum;

static void check_team(shmem_team_t team, const char* shape) {
  CHECK(shmem_int_broadcast(team, NULL, NULL, 0, 0) == 0, "%s", shape);
  CHECK(shmem_int_collect(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_int_fcollect(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_int_alltoall(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_int_alltoalls(team, NULL, NULL, 1, 1, 0) == 0, "%s", shape);
  CHECK(shmem_int_sum_reduce(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_uint_and_reduce(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_int_sum_inscan(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_int_sum_exscan(team, NULL, NULL, 0) == 0, "%s", shape);
  CHECK(shmem_broadcastmem(team, NULL, NULL, 0, 0) == 0, "%s", shape);
  CHECK(shmem_int_sum_reduce(team, &sum, &one, 1) == 0 && sum == shmem_team_n_pes(team), "%s: %d", shape, sum);
}

int main(void) {
  shmem_init();
  for_each_team(check_team);
  shmem_finalize();
  return 0;
}
