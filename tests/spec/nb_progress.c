// Extension: a PE does its part of a non-blocking reduction while it makes no call (OSHEN_PROGRESS=thread), or while it
// waits for another event.
// @since 1.6
// @extension
// @run pes=1,2,3,8 OSHEN_PROGRESS=thread compute
// @run pes=1,2,3,8 wait
#include <shmemx.h>
#include "check.h"

enum { n = 100000, rounds = 5 };
static double source[n], dest[n];
static long done;

int main(int argc, char** argv) {
  CHECK(argc == 2, "usage: nb_progress compute|wait");
  shmem_init();
  const int me = shmem_my_pe(), others = shmem_n_pes() - 1;
  for (int round = 1; round <= rounds; round++) {
    for (int i = 0; i < n; i++) source[i] = i + me * round;
    shmemx_request_t request;
    shmemx_double_sum_reduce_nb(SHMEM_TEAM_WORLD, dest, source, n, &request);
    if (me == 0) {
      if (!strcmp(argv[1], "wait"))
        shmem_long_wait_until(&done, SHMEM_CMP_EQ, others * round);
      else
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != others * round) continue;
      shmemx_coll_wait(&request);
    } else {
      shmemx_coll_wait(&request);  // needs the part of PE 0
      shmem_long_atomic_inc(&done, 0);
    }
    for (int i = 0; i < n; i++)
      CHECK(dest[i] == (double)i * (others + 1) + others * (others + 1) / 2 * round, "at %d", i);
    shmem_sync_all();
  }
  shmem_finalize();
  return 0;
}
