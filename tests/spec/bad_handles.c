// Invalid and destroyed teams and contexts where the standard gives them no meaning.
// @extension
// @run pes=2 put_on_invalid -> fails /PE 1.*shmem_ctx_int_put.*ctx/
// @run pes=2 atomic_on_invalid -> fails /PE 1.*shmem_ctx_int_atomic_inc.*ctx/
// @run pes=2 put_on_destroyed -> fails /PE 1.*shmem_ctx_int_put.*ctx/
// @run pes=2 quiet_on_destroyed -> fails /PE 1.*shmem_ctx_quiet.*ctx/
//
// @run pes=2 destroy_twice -> fails /PE 1.*shmem_ctx_destroy.*ctx/
// @run pes=2 destroy_default -> fails /PE 1.*shmem_ctx_destroy.*ctx/
// @run pes=2 sync_on_invalid -> fails /PE 1.*shmem_team_sync.*team/
// @run pes=2 reduce_on_invalid -> fails /PE 1.*shmem_int_sum_reduce.*team/
//
// @run pes=2 team_destroyed -> fails /PE [01].*shmem_team_sync.*team/
// @run pes=2 wild_ctx -> fails /PE 1.*shmem_ctx_int_p.*ctx/
// @run pes=2 wild_team -> fails /PE 1.*shmem_team_n_pes.*team/
// @run pes=2 destroy_world -> fails /PE 1.*shmem_team_destroy.*team/
#include "bad_use.h"

static int cell, value = 1;
static shmem_team_t destroyed;

static shmem_ctx_t destroyed_ctx(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  shmem_ctx_destroy(ctx);
  return ctx;
}
static void put_on_invalid(void) { shmem_ctx_int_put(SHMEM_CTX_INVALID, &cell, &value, 1, 0); }
static void atomic_on_invalid(void) { shmem_ctx_int_atomic_inc(SHMEM_CTX_INVALID, &cell, 0); }
static void put_on_destroyed(void) { shmem_ctx_int_put(destroyed_ctx(), &cell, &value, 1, 0); }
static void quiet_on_destroyed(void) { shmem_ctx_quiet(destroyed_ctx()); }
static void destroy_twice(void) { shmem_ctx_destroy(destroyed_ctx()); }
static void destroy_default(void) { shmem_ctx_destroy(SHMEM_CTX_DEFAULT); }
static void sync_on_invalid(void) { shmem_team_sync(SHMEM_TEAM_INVALID); }
static void reduce_on_invalid(void) { shmem_int_sum_reduce(SHMEM_TEAM_INVALID, &cell, &value, 1); }
static void team_destroyed(void) { shmem_team_sync(destroyed); }
static void wild_ctx(void) { shmem_ctx_int_p((shmem_ctx_t)&cell, &cell, 1, 0); }
static void wild_team(void) { value = shmem_team_n_pes((shmem_team_t)&cell); }
static void destroy_world(void) { shmem_team_destroy(SHMEM_TEAM_WORLD); }

static const struct mistake mistakes[] = {{"put_on_invalid", put_on_invalid},
                                          {"atomic_on_invalid", atomic_on_invalid},
                                          {"put_on_destroyed", put_on_destroyed},
                                          {"quiet_on_destroyed", quiet_on_destroyed},
                                          {"destroy_twice", destroy_twice},
                                          {"destroy_default", destroy_default},
                                          {"sync_on_invalid", sync_on_invalid},
                                          {"reduce_on_invalid", reduce_on_invalid},
                                          {"team_destroyed", team_destroyed},
                                          {"wild_ctx", wild_ctx},
                                          {"wild_team", wild_team},
                                          {"destroy_world", destroy_world}};

int main(int argc, char** argv) {
  shmem_init();
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &destroyed) == 0, "split");
  shmem_team_destroy(destroyed);
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
