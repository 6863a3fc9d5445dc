/* A team in the opposite order of the world: its collectives place data by the numbers in the team. */
#include <assert.h>
#include <shmem.h>
static long from[4], all[4], some[4], sum, parts[4];
int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t team;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &team);
  assert(shmem_team_my_pe(team) == n - 1 - me);
  for (int i = 0; i < n; i++) from[i] = 10 * me + i;
  shmem_long_fcollect(team, all, from, 1);
  shmem_long_collect(team, some, from, 1);
  shmem_long_alltoall(team, parts, from, 1);
  shmem_long_sum_inscan(team, &sum, from, 1);
  long before = 0;
  for (int i = 0; i < n; i++) {
    const int pe = n - 1 - i; /* in the world */
    assert(all[i] == 10 * pe && some[i] == 10 * pe && parts[i] == 10 * pe + (n - 1 - me));
    if (pe >= me) before += 10 * pe;
  }
  assert(sum == before);
  shmem_team_destroy(team);
  shmem_finalize();
  return 0;
}
