// The quiet of a context waits for the operations of that context only. PE 0 has operations towards up to six stopped
// PEs in progress, those towards each PE on a context of its own. Meanwhile it completes operations on another context.
// Then the PEs go on one after another, and each quiet returns although others are still stopped.
// @extension
#include <unistd.h>

#include "stopped.h"

enum { most_stopped = 6, words = 700, rounds = 50 };

static long target_pid;
static long block[words], answers[words];

static void check_state(const long* pids, int first, int last) {
  for (int i = first; i <= last; i++) CHECK(state_of(pids[i]) == 'T', "PE %d went on before it was told to", i);
}

static void complete_others(shmem_ctx_t ctx, int pe) {
  long back[words];
  for (long r = 1; r <= rounds; r++) {
    for (int i = 0; i < words; i++) back[i] = r * words + i;
    shmem_ctx_long_put_nbi(ctx, block, back, words, pe);
    shmem_ctx_quiet(ctx);
    shmem_ctx_long_get_nbi(ctx, back, block, words, pe);
    shmem_ctx_quiet(ctx);
    for (int i = 0; i < words; i++) CHECK(back[i] == r * words + i, "round %ld, word %d: %ld", r, i, back[i]);
  }
}

static void use_contexts(int n_stopped, int running) {
  static long source[most_stopped + 1][words], got[most_stopped + 1][words];
  shmem_ctx_t ctx[most_stopped + 1];
  long pids[most_stopped + 1];
  for (int i = 0; i <= n_stopped; i++)
    CHECK(shmem_ctx_create(i % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx[i]) == 0, "context %d", i);
  for (int i = 1; i <= n_stopped; i++) {  // connects each context to its target
    shmem_ctx_long_get(ctx[i], &pids[i], &target_pid, 1, i);
    shmem_ctx_long_put(ctx[i], block, source[i], 1, i);
    shmem_ctx_quiet(ctx[i]);
  }
  for (int i = 1; i <= n_stopped; i++) stop(pids[i]);
  for (int i = 1; i <= n_stopped; i++) {
    for (int k = 0; k < words; k++) source[i][k] = i * words + k;
    shmem_ctx_long_put_nbi(ctx[i], block, source[i], words, i);
    shmem_ctx_long_get_nbi(ctx[i], got[i], answers, words, i);
  }
  complete_others(ctx[0], running);
  check_state(pids, 1, n_stopped);
  for (int i = 1; i <= n_stopped; i++) {
    CHECK(kill((pid_t)pids[i], SIGCONT) == 0, "cannot continue process %ld", pids[i]);
    shmem_ctx_quiet(ctx[i]);
    for (int k = 0; k < words; k++) CHECK(got[i][k] == i + 3 * k, "get %d of PE %d: %ld", k, i, got[i][k]);
    check_state(pids, i + 1, n_stopped);
  }
  for (int i = 0; i <= n_stopped; i++) shmem_ctx_destroy(ctx[i]);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  const int n_stopped = last - 1 < most_stopped ? last - 1 : most_stopped;
  target_pid = getpid();
  for (int k = 0; k < words; k++) answers[k] = me + 3 * k;
  shmem_barrier_all();
  if (me == 0 && n_stopped > 0) use_contexts(n_stopped, last);
  shmem_barrier_all();
  for (int k = 0; k < words && me > 0 && me <= n_stopped; k++)
    CHECK(block[k] == me * words + k, "word %d: %ld", k, block[k]);
  shmem_finalize();
  return 0;
}
