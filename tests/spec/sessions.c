// Sessions are hints: they change neither completion nor ordering, nest by OR, and stop without a
// flush.
// @since 1.6
#include "pattern.h"
#include "symmetric.h"

enum { messages = 300 };

static void check_traffic(shmem_ctx_t ctx, long* inbox, const char* what) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  static long outbox[messages];
  for (int i = 0; i < messages; i++) outbox[i] = 1000 * me + i;
  for (int i = 0; i < messages; i++) shmem_ctx_long_put_nbi(ctx, &inbox[i], &outbox[i], 1, right);
  shmem_ctx_long_atomic_add(ctx, &inbox[messages], 1, right);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  for (int i = 0; i < messages; i++) CHECK(inbox[i] == 1000 * left + i, "%s: message %d", what, i);
  CHECK(inbox[messages] == 1, "%s: atomic", what);
  inbox[messages] = 0;
  shmem_barrier_all();
}

static void check_context(shmem_ctx_t ctx, long* inbox) {
  const shmem_ctx_session_config_t config = {.total_ops = messages};
  shmem_ctx_session_stop(ctx);  // stopping a session that has not started has no effect
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
  check_traffic(ctx, inbox, "in a session");
  shmem_ctx_session_start(ctx, 0, NULL, 0);
  check_traffic(ctx, inbox, "started twice");
  shmem_ctx_session_stop(ctx);
  shmem_ctx_session_stop(ctx);
  check_traffic(ctx, inbox, "after the session");

  // Operations issued before the stop still arrive, without a quiet of the sender: strong progress.
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_long_p(ctx, &inbox[0], -7, right);
  shmem_ctx_session_stop(ctx);
  shmem_long_wait_until(&inbox[0], SHMEM_CMP_EQ, -7);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, NULL, 0);  // no effect
  shmem_ctx_session_stop(SHMEM_CTX_INVALID);
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* inbox = memory_take(kind, (messages + 1) * sizeof(long));
    check_context(SHMEM_CTX_DEFAULT, inbox);
    check_context(ctx, inbox);
    memory_give_back(kind, inbox);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
