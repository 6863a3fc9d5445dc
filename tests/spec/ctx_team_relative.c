// PE numbers of every call with a context count in the context's team: RMA, atomics, signals,
// pe_quiet.
// @since 1.6
#include "teams.h"

static int by_p, by_put, by_iput[2], by_ibput[2], by_amo, by_nbi;
static uint64_t by_signal, by_put_signal, by_signal_add, by_signal_set;

static void send_all(shmem_ctx_t ctx, int pe, const int* value) {
  const uint64_t signal = (uint64_t)value[0];
  shmem_ctx_int_p(ctx, &by_p, value[0], pe);
  shmem_ctx_int_put(ctx, &by_put, value, 1, pe);
  shmem_ctx_int_iput(ctx, by_iput, value, 1, 1, 2, pe);
  shmem_ctx_int_ibput(ctx, by_ibput, value, 2, 2, 2, 1, pe);
  shmem_ctx_int_atomic_set(ctx, &by_amo, value[0], pe);
  shmem_ctx_int_put_nbi(ctx, &by_nbi, value, 1, pe);
  shmem_ctx_putmem_signal(ctx, NULL, NULL, 0, &by_put_signal, signal, SHMEM_SIGNAL_SET, pe);
  shmem_ctx_int_put_signal_nbi(ctx, NULL, NULL, 0, &by_signal, signal, SHMEM_SIGNAL_SET, pe);
  shmem_ctx_signal_add(ctx, &by_signal_add, signal, pe);
  shmem_ctx_signal_set(ctx, &by_signal_set, signal, pe);
  shmem_ctx_pe_quiet(ctx, &pe, 1);
}

static void check_received(const char* shape, int expected) {
  const uint64_t signal = (uint64_t)expected;
  CHECK(by_p == expected && by_put == expected && by_nbi == expected, "%s: p %d, put %d, nbi %d, not %d", shape, by_p,
        by_put, by_nbi, expected);
  CHECK(by_iput[1] == -expected && by_ibput[1] == -expected, "%s: strided", shape);
  CHECK(by_amo == expected, "%s: atomic_set %d", shape, by_amo);
  CHECK(by_put_signal == signal && by_signal == signal, "%s: put_signal", shape);
  CHECK(by_signal_add == signal && by_signal_set == signal, "%s: signal_add, signal_set", shape);
  by_signal_add = 0;
}

static void check_fetched(shmem_ctx_t ctx, const char* shape, int pe, int expected) {
  int got = 0, fetched = 0;
  shmem_ctx_int_get(ctx, &got, &by_put, 1, pe);
  CHECK(got == expected && shmem_ctx_int_g(ctx, &by_p, pe) == expected, "%s: get, g", shape);
  CHECK(shmem_ctx_int_atomic_fetch(ctx, &by_amo, pe) == expected, "%s: atomic_fetch", shape);
  shmem_ctx_int_atomic_fetch_nbi(ctx, &fetched, &by_amo, pe);
  shmem_ctx_int_get_nbi(ctx, &got, &by_iput[1], 1, pe);
  shmem_ctx_quiet(ctx);
  CHECK(fetched == expected && got == -expected, "%s: nbi", shape);
}

static void check_team(shmem_team_t team, const char* shape) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const int right = (me + 1) % n, left = (me + n - 1) % n, value[2] = {me + 1, -(me + 1)};
  shmem_ctx_t ctx;
  CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0, "%s: no context", shape);
  send_all(ctx, right, value);
  shmem_ctx_quiet(ctx);
  shmem_team_sync(team);
  check_received(shape, left + 1);
  check_fetched(ctx, shape, right, me + 1);
  shmem_team_sync(team);
  shmem_ctx_destroy(ctx);
}

// Teams must request contexts. Those of for_each_team do not, so this program creates its own.
static void run_on_triplet(int start, int stride, int size, const char* shape) {
  const shmem_team_config_t config = {.num_contexts = 1};
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, &config, SHMEM_TEAM_NUM_CONTEXTS, &team) == 0,
        "%s", shape);
  shmem_barrier_all();
  if (team != SHMEM_TEAM_INVALID) check_team(team, shape);
  shmem_team_destroy(team);
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  check_team(SHMEM_TEAM_WORLD, "the world");
  check_team(SHMEM_TEAM_SHARED, "the shared team");
  run_on_triplet(n - 1, -1, n, "the world reversed");
  run_on_triplet(0, 2, (n + 1) / 2, "the even PEs");
  if (n > 1) run_on_triplet(1, 2, n / 2, "the odd PEs");
  if (n > 2) run_on_triplet(2, 1, n - 2, "all but the first two");
  shmem_finalize();
  return 0;
}
