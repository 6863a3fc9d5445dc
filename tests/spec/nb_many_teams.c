// Extension: a request of a non-blocking collective is found again, however many teams the program has had before. The
// handle of a team does not fit into half a request from the 2047th team on.
// @since 1.6
// @extension
// @run pes=1,2
#include <shmemx.h>
#include "check.h"

enum { teams = 5000 };

int main(void) {
  static long one = 1, sum;
  shmem_init();
  const int n = shmem_n_pes();
  for (int i = 0; i < teams; i++) {
    shmem_team_t team;
    shmemx_request_t request = SHMEMX_REQUEST_INVALID;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0, "team %d", i);
    shmemx_long_sum_reduce_nb(team, &sum, &one, 1, &request);
    shmemx_coll_wait(&request);
    CHECK(request == SHMEMX_REQUEST_INVALID, "team %d", i);
    CHECK(sum == n, "team %d: sum %ld", i, sum);
    shmem_team_destroy(team);
  }
  shmem_finalize();
  return 0;
}
