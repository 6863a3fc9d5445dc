/* PEs of a team call different collectives, which would meet. */
#include <shmem.h>

static long to, from;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  (void)me, (void)to, (void)from;
#ifdef REDUCE
  if (me == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
  shmem_barrier_all();
  if (me != 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
#elif defined(SYNC)
  if (me == 0)
    shmem_sync_all();
  else
    shmem_barrier_all();
#elif defined(SIZE)
  shmem_free(shmem_malloc(me == 0 ? 64 : 128));
#elif defined(MORE)
  if (me == 0) shmem_barrier_all();
#else
  if (me == 0)
    shmem_sync_all();
  else
    shmem_team_sync(SHMEM_TEAM_WORLD);
#endif
  shmem_finalize();
  return 0;
}
