/* Calls of shmemx.h, and the configuration of a team. With EARLY the flag is set before the quiet. */
#include <assert.h>
#include <shmemx.h>

static int to[6], from[3] = {1, 2, 3};
static long flag;
static double sum;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (me == 0) {
    shmemx_int_iput_nbi(to, from, 2, 1, 3, 1);
#ifndef EARLY
    shmem_quiet();
#endif
    shmem_long_atomic_set(&flag, 1, 1);
  } else if (me == 1) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    assert(to[0] == 1 && to[1] == 0 && to[4] == 3);
  }
  shmemx_double_atomic_add(&sum, 0.5, 0);
  assert(shmemx_team_barrier(SHMEM_TEAM_WORLD) == 0);
  if (me == 0) assert(sum == 0.5 * shmem_n_pes());
  shmem_team_config_t config = {.num_contexts = 3};
  shmem_team_t team;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, &config, SHMEM_TEAM_NUM_CONTEXTS, &team);
  config.num_contexts = 0;
  assert((shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0) == (me == 0));
  assert(config.num_contexts == (me == 0 ? 3 : 0));
  shmem_finalize();
  return 0;
}
