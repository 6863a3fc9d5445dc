// SHMEM_TEAM_GET_CONFIG, and the request for contexts: mask 0 ignores the config, which may be
// null.
// @since 1.6
#include "check.h"

enum { contexts = 4 };

int main(void) {
  shmem_init();
  shmem_team_t team;
  shmem_ctx_t ctx[contexts];
  shmem_team_config_t config = {.num_contexts = contexts}, current = {.num_contexts = -5};
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, 0, NULL) == 0, "mask 0");
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, 0, &current) == 0 && current.num_contexts == -5, "mask 0 wrote %d",
        current.num_contexts);
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, &current) == 0, "world");
  CHECK(current.num_contexts >= 0, "the world offers %d contexts", current.num_contexts);

  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), &config, SHMEM_TEAM_NUM_CONTEXTS, &team) == 0,
        "split");
  CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &current) == 0, "get_config");
  CHECK(current.num_contexts >= contexts, "asked for %d contexts, have %d", contexts, current.num_contexts);
  for (int i = 0; i < contexts; i++)
    CHECK(shmem_team_create_ctx(team, 0, &ctx[i]) == 0, "context %d of %d", i, contexts);
  for (int i = 0; i < contexts; i++) shmem_ctx_destroy(ctx[i]);
  shmem_team_destroy(team);
  shmem_finalize();
  return 0;
}
