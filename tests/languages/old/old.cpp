// A program of C++98 that uses the names of C, and the overloads that need no C++11.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

static long word;
static long long wide;
static volatile int flag;

int main() {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_long_p(&word, me, (me + 1) % n);
  shmem_p(&wide, 7LL, (me + 1) % n);
  shmem_int_atomic_inc(const_cast<int*>(&flag), (me + 1) % n);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
  shmem_team_t none = SHMEM_TEAM_INVALID;
  shmem_team_destroy(none);
  shmemx_request_t request = SHMEMX_REQUEST_INVALID;
  shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &request);
  shmemx_coll_wait(&request);
  if (word != (me + n - 1) % n || wide != 7) shmem_global_exit(2);
  if (me == 0) puts("old: ok");
  shmem_finalize();
  return 0;
}
