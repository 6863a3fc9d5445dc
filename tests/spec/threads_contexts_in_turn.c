// Contexts follow each other, so each one may take over what belonged to the one before it. A private one is used by
// one thread, the others by several at once. After quiet, puts, non-blocking puts and additions are at their target.
#include "threads.h"

enum { rounds = 12, per_thread = 40, group = 8 };
static shmem_ctx_t ctx;
static long *put, *deferred, *count;  // per thread and operation; of the PE before this one
static long sources[thread_count][per_thread];

// Non-blocking gets, so that nothing of the puts can become complete in between.
static void check_group(int first, long round, int to) {
  long puts[group], deferred_puts[group];
  for (int k = 0; k < group; k++) {
    shmem_ctx_long_get_nbi(ctx, &puts[k], &put[first + k], 1, to);
    shmem_ctx_long_get_nbi(ctx, &deferred_puts[k], &deferred[first + k], 1, to);
  }
  shmem_ctx_quiet(ctx);
  for (int k = 0; k < group; k++) {
    CHECK(puts[k] == round * 1000 + first + k, "round %ld: p %d, %ld found", round, first + k, puts[k]);
    CHECK(deferred_puts[k] == round * 1000 + first + k, "round %ld: put_nbi %d, %ld found", round, first + k,
          deferred_puts[k]);
  }
}

static void use(int number, long round) {
  const int to = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < per_thread; i++) {
    const int at = number * per_thread + i;
    sources[number][i] = round * 1000 + at;
    shmem_ctx_long_p(ctx, &put[at], sources[number][i], to);
    shmem_ctx_long_put_nbi(ctx, &deferred[at], &sources[number][i], 1, to);
    shmem_ctx_long_atomic_add(ctx, &count[at], 1, to);
    if (i % group < i / group) shmem_ctx_long_atomic_add(ctx, &count[at], 0, to);  // groups of 24 to 28 operations
    if (i % group != group - 1) continue;
    shmem_ctx_quiet(ctx);
    check_group(number * per_thread + i + 1 - group, round, to);
  }
  shmem_ctx_quiet(ctx);
}

static long current_round;
static void use_in_thread(int number) { use(number, current_round); }

int main(void) {
  init_multiple();
  const int n = thread_count * per_thread;
  put = shmem_calloc((size_t)n, sizeof *put);
  deferred = shmem_calloc((size_t)n, sizeof *deferred);
  count = shmem_calloc((size_t)n, sizeof *count);
  for (long r = 1; r <= rounds; r++) {
    const int is_private = r % 3 != 0;
    current_round = r;
    CHECK(shmem_ctx_create(is_private ? SHMEM_CTX_PRIVATE : 0, &ctx) == 0, "round %ld", r);
    if (is_private)
      for (int t = 0; t < thread_count; t++) use(t, r);
    else
      run_threads(use_in_thread);
    shmem_sync_all();
    for (int i = 0; i < n; i++) {
      CHECK(put[i] == r * 1000 + i, "round %ld: p %d found %ld", r, i, put[i]);
      CHECK(deferred[i] == r * 1000 + i, "round %ld: put_nbi %d found %ld", r, i, deferred[i]);
      const long added = shmem_long_atomic_fetch(&count[i], shmem_my_pe());
      CHECK(added == r, "round %ld: %ld additions", r, added);
    }
    shmem_ctx_destroy(ctx);
    shmem_sync_all();
  }
  shmem_finalize();
  return 0;
}
