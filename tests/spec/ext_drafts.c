// Names of drafts: non-blocking collectives with requests, and local completion.
// @extension
#include <oshen/drafts.h>

#include "symmetric.h"

enum { most = 16 };
static int64_t dest[most], source[most], all[most], sum[2], ten[2];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_req_h requests[5] = {SHMEM_REQ_INVALID, SHMEM_REQ_INVALID, SHMEM_REQ_INVALID, SHMEM_REQ_INVALID,
                             SHMEM_REQ_INVALID};
  for (int pe = 0; pe < n; pe++) source[pe] = 100 * me + pe;
  ten[0] = me == 0 ? 10 : 0;
  shmem_barrier_all();
  CHECK(shmem_int64_alltoall_nb(SHMEM_TEAM_WORLD, dest, source, 1, &requests[0]) == 0, "alltoall_nb");
  CHECK(shmem_fcollect_nb(SHMEM_TEAM_WORLD, all, source, 1, &requests[1]) == 0, "fcollect_nb");
  CHECK(shmem_int64_sum_reduce_nb(SHMEM_TEAM_WORLD, sum, source, 1, &requests[2]) == 0, "sum_reduce_nb");
  CHECK(shmem_broadcastmem_nb(SHMEM_TEAM_WORLD, ten, ten, sizeof ten[0], 0, &requests[3]) == 0, "broadcastmem_nb");
  CHECK(shmem_sync_nb(SHMEM_TEAM_WORLD, &requests[4]) == 0, "sync_nb");
  while (shmem_req_test(&requests[0]) != 0) continue;
  CHECK(requests[0] == SHMEM_REQ_INVALID, "a complete request stays");
  for (int i = 1; i < 5; i++)
    CHECK(shmem_req_wait(&requests[i]) == 0 && requests[i] == SHMEM_REQ_INVALID, "req_wait %d", i);
  for (int pe = 0; pe < n; pe++) CHECK(dest[pe] == 100 * pe + me && all[pe] == 100 * pe, "blocks of PE %d", pe);
  CHECK(sum[0] == 50 * n * (n - 1) && ten[0] == 10, "sum %ld, ten %ld", (long)sum[0], (long)ten[0]);

  static long box;
  long value = me + 1;
  shmem_long_put_nbi(&box, &value, 1, (me + 1) % n);
  shmem_local_complete();
  shmem_ctx_local_complete(SHMEM_CTX_DEFAULT);
  value = 0;
  shmem_barrier_all();
  CHECK(box == (me + n - 1) % n + 1, "box %ld", box);
  shmem_finalize();
  return 0;
}
