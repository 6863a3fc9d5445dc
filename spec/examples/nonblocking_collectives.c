/* SPDX-License-Identifier: BSD-3-Clause
 * A reduction while the PE computes. */
#include <shmemx.h>

static double mine = 1, sum;

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  shmemx_request_t requests[2];

  shmemx_double_sum_reduce_nb(SHMEM_TEAM_WORLD, &sum, &mine, 1, &requests[0]);
  shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &requests[1]);
  while (!shmemx_coll_test(&requests[0])) {
    /* compute a little */
  }
  shmemx_coll_wait_all(requests, 2); /* a request that is complete is skipped */

  const int wrong = sum != n;
  shmem_finalize();
  return wrong;
}
