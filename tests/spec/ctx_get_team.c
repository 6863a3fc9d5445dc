// SHMEM_CTX_GET_TEAM: the world for the default context and for those of ctx_create, else the team of its creation.
// @since 1.5
#include "check.h"

int main(void) {
  shmem_init();
  shmem_team_t team = SHMEM_TEAM_INVALID, own;
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD, "default");
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  team = SHMEM_TEAM_INVALID;
  CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD, "ctx_create");
  shmem_ctx_destroy(ctx);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID, "invalid");

  const shmem_team_config_t config = {.num_contexts = 1};
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), &config, SHMEM_TEAM_NUM_CONTEXTS, &own) == 0,
        "split");
  CHECK(shmem_team_create_ctx(own, SHMEM_CTX_SERIALIZED, &ctx) == 0, "no context on a team");
  CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == own, "team_create_ctx");
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(own);  // destroys the remaining shareable contexts as well

  CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx) == 0, "no context on the shared team");
  CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_SHARED, "shared");
  shmem_ctx_destroy(ctx);
  ctx = SHMEM_CTX_DEFAULT;
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID,
        "a context on the invalid team");
  shmem_finalize();
  return 0;
}
