// Threads of all PEs update an object with a hint and one without, on the default context and on private ones. No
// update is lost, whether a network card or the CPUs execute those on the object with the hint.
// @extension
#include "threads.h"

enum { rounds = 200 };

static long *hinted, *plain;
static uint64_t* signal_of_all;

static void update(shmem_ctx_t ctx, int pe) {
  for (int i = 0; i < rounds; i++) {
    shmem_ctx_long_atomic_add(ctx, hinted, 1, pe);
    const long before = shmem_ctx_long_atomic_fetch_add(ctx, hinted, 2, pe);
    CHECK(before >= 0, "%ld", before);
    shmem_ctx_long_atomic_inc(ctx, plain, pe);
    shmem_ctx_signal_add(ctx, signal_of_all, 1, pe);
    shmem_ctx_fence(ctx);
  }
  shmem_ctx_quiet(ctx);
}

static void update_by_default(int number) { update(SHMEM_CTX_DEFAULT, number % shmem_n_pes()); }

static void update_privately(int number) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "thread %d: no context", number);
  update(ctx, number % shmem_n_pes());
  shmem_ctx_destroy(ctx);
}

// The number of threads of a PE that update the objects of this PE.
static long threads_here(void) {
  long n = 0;
  for (int number = 0; number < thread_count; number++) n += number % shmem_n_pes() == shmem_my_pe();
  return n;
}

static void check(const char* what, int runs) {
  shmem_barrier_all();
  const long times = runs * rounds * threads_here() * shmem_n_pes();
  CHECK(*hinted == 3 * times, "%s: %ld of %ld", what, *hinted, 3 * times);
  CHECK(*plain == times, "%s: %ld of %ld without a hint", what, *plain, times);
  CHECK(*signal_of_all == (uint64_t)times, "%s: %llu signals", what, (unsigned long long)*signal_of_all);
  shmem_barrier_all();
}

int main(void) {
  init_multiple();
  hinted = shmem_malloc_with_hints(sizeof *hinted, SHMEM_MALLOC_ATOMICS_REMOTE);
  signal_of_all = shmem_malloc_with_hints(sizeof *signal_of_all, SHMEM_MALLOC_SIGNAL_REMOTE);
  plain = shmem_calloc(1, sizeof *plain);
  *hinted = 0;
  *signal_of_all = 0;
  shmem_barrier_all();
  run_threads(update_by_default);
  check("default context", 1);
  run_threads(update_privately);
  check("private contexts", 2);
  shmem_finalize();
  return 0;
}
