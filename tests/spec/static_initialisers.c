// Handles and constants in static initialisers, array bounds, case labels and preprocessor
// conditions.
// @since 1.6
#include "check.h"

static shmem_team_t world = SHMEM_TEAM_WORLD, shared = SHMEM_TEAM_SHARED, no_team = SHMEM_TEAM_INVALID;
static shmem_ctx_t default_ctx = SHMEM_CTX_DEFAULT, no_ctx = SHMEM_CTX_INVALID;
static const struct {
  shmem_team_t team;
  shmem_ctx_t ctx;
} pair = {SHMEM_TEAM_WORLD, SHMEM_CTX_DEFAULT};

static long broadcast_sync[SHMEM_BCAST_SYNC_SIZE] = {SHMEM_SYNC_VALUE};
static long reduce_sync[SHMEM_REDUCE_SYNC_SIZE], barrier_sync[SHMEM_BARRIER_SYNC_SIZE];
static long collect_sync[SHMEM_COLLECT_SYNC_SIZE], any_sync[SHMEM_SYNC_SIZE];
static long alltoall_sync[SHMEM_ALLTOALL_SYNC_SIZE], alltoalls_sync[SHMEM_ALLTOALLS_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static char name[SHMEM_MAX_NAME_LEN] = SHMEM_VENDOR_STRING;
static long options = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE | SHMEM_CTX_SESSION_BATCH;
static long masks = SHMEM_TEAM_NUM_CONTEXTS | SHMEM_CTX_SESSION_TOTAL_OPS;
static shmem_team_config_t config = {.num_contexts = 2};
static shmem_ctx_session_config_t session = {.total_ops = 3};

#if SHMEM_MAJOR_VERSION < 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 6)
#error "the version must be usable by the preprocessor"
#endif

// Integer constant expressions, all different: a switch compiles only then.
static int comparison_number(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return 1;
    case SHMEM_CMP_NE: return 2;
    case SHMEM_CMP_LT: return 3;
    case SHMEM_CMP_LE: return 4;
    case SHMEM_CMP_GT: return 5;
    case SHMEM_CMP_GE: return 6;
    default: return 0;
  }
}
static int operator_number(int op) {
  switch (op) {
    case SHMEM_SIGNAL_SET: return 1;
    case SHMEM_SIGNAL_ADD: return 2;
    default: return 0;
  }
}

int main(void) {
  shmem_init();
  CHECK(world == SHMEM_TEAM_WORLD && shared == SHMEM_TEAM_SHARED && no_team == SHMEM_TEAM_INVALID, "teams");
  CHECK(default_ctx == SHMEM_CTX_DEFAULT && no_ctx == SHMEM_CTX_INVALID, "contexts");
  CHECK(pair.team == world && pair.ctx == default_ctx, "handles in a constant structure");
  CHECK(shmem_team_n_pes(world) == shmem_n_pes() && shmem_team_n_pes(no_team) == -1, "handles work");
  shmem_ctx_quiet(default_ctx);
  CHECK(comparison_number(SHMEM_CMP_GE) == 6 && operator_number(SHMEM_SIGNAL_ADD) == 2, "switch");
  CHECK(broadcast_sync[0] == SHMEM_SYNC_VALUE && reduce_sync[0] == 0 && barrier_sync[0] == 0 && collect_sync[0] == 0 &&
            any_sync[0] == 0 && alltoall_sync[0] == 0 && alltoalls_sync[0] == 0 && work[0] == 0,
        "work arrays");
  CHECK(name[0] && options && masks && config.num_contexts == 2 && session.total_ops == 3, "the rest");
  shmem_finalize();
  return 0;
}
