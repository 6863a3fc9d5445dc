// Contexts that require an endpoint of their own, and sessions of one kind of atomic operation, under the names of the
// drafts.
//
// On one node each context is alone. Between nodes as many get an endpoint as OSHEN_CTX_ENDPOINTS allows; the creation
// of further ones fails, and a destroyed one leaves room. Contexts that do not require it can always be created.
// @extension
// @run OSHEN_CTX_ENDPOINTS=2
// @run OSHEN_CTX_ENDPOINTS=0
#include <oshen/drafts.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 20, adds = 1000 };
static long sum;

static int is_far(void) {
  for (int pe = 0; pe < shmem_n_pes(); pe++)
    if (shmem_ptr(&sum, pe) == NULL) return 1;
  return 0;
}

// The transport of virtual nodes has one endpoint.
static int expected(void) {
  const char* transport = getenv("OSHEN_TRANSPORT");
  if (!is_far()) return most;
  return transport == NULL || strcmp(transport, "loop") == 0 ? 0 : atoi(getenv("OSHEN_CTX_ENDPOINTS"));
}

static void add_once(shmem_ctx_t ctx) {
  shmem_ctx_long_atomic_inc(ctx, &sum, 0);
  shmem_ctx_quiet(ctx);
}

static void check_required(void) {
  shmem_ctx_t ctx[most], shared;
  int made = 0;
  while (made < most && shmem_ctx_create(SHMEM_CTX_PRIVATE | SHMEM_CTX_OPTIMIZE, &ctx[made]) == 0) made++;
  CHECK(made == expected(), "%d contexts, expected %d", made, expected());
  if (made < most) CHECK(ctx[made] == SHMEM_CTX_INVALID, "a refused context has a handle");
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &shared) == 0, "a context without the option is refused");
  add_once(shared);
  for (int i = 0; i < made; i++) add_once(ctx[i]);
  if (made > 0) {
    shmem_ctx_destroy(ctx[0]);
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_WORLD, SHMEMX_CTX_REQUIRED, &ctx[0]) == 0, "no room after a destroy");
    add_once(ctx[0]);
  }
  for (int i = 0; i < made; i++) shmem_ctx_destroy(ctx[i]);
  shmem_ctx_destroy(shared);
  const long all = shmem_n_pes() * (made + 1 + (made > 0));
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(sum == all, "sum %ld, not %ld", sum, all);
  sum = 0;
  shmem_barrier_all();
}

// Between nodes the additions travel in few messages.
static void check_same_amo(void) {
  CHECK(shmemx_pvar_start() == 0, "no memory");
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_SAME_AMO, NULL, 0);
  for (int i = 0; i < adds; i++) shmem_long_atomic_add(&sum, i, 0);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  shmem_barrier_all();
  const uint64_t packs = shmemx_pvar_read(SHMEMX_PVAR_PACK_OPERATIONS, 0);
  shmemx_pvar_stop();
  if (shmem_ptr(&sum, 0) == NULL) CHECK(packs > 0 && packs < adds / 2, "%llu packs", (unsigned long long)packs);
  if (shmem_my_pe() == 0) CHECK(sum == (long)shmem_n_pes() * adds * (adds - 1) / 2, "sum %ld", sum);
}

int main(void) {
  shmem_init();
  check_required();
  check_same_amo();
  shmem_finalize();
  return 0;
}
