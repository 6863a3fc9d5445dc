// A negative stride counts down: the new PE 0 is `start`, and put, get and collectives follow that
// order.
// @since 1.6
#include "check.h"

int main(void) {
  static int from_left, mine_in_world, all[64];
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t reversed;
  shmem_ctx_t ctx;
  const shmem_team_config_t config = {.num_contexts = 1};
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, &config, SHMEM_TEAM_NUM_CONTEXTS, &reversed) == 0,
        "split");
  const int mine = shmem_team_my_pe(reversed);
  CHECK(mine == n - 1 - me, "I am %d", mine);

  CHECK(shmem_team_create_ctx(reversed, 0, &ctx) == 0, "no context on the reversed team");
  shmem_ctx_int_p(ctx, &from_left, 100 + mine, (mine + 1) % n);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(from_left == 100 + (mine + n - 1) % n, "the ring runs downwards: %d", from_left);
  shmem_ctx_destroy(ctx);

  mine_in_world = me;
  CHECK(shmem_int_fcollect(reversed, all, &mine_in_world, 1) == 0, "fcollect");
  for (int i = 0; i < n; i++) CHECK(all[i] == n - 1 - i, "place %d holds PE %d", i, all[i]);
  shmem_team_destroy(reversed);
  shmem_finalize();
  return 0;
}
