// Threads create and destroy contexts at the same time as others use theirs, and query PE and team
// numbers.
#include "threads.h"

enum { rounds = 200 };
static long counter;

static void churn(int number) {
  const int n = shmem_n_pes();
  for (int r = 0; r < rounds; r++) {
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(r % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx) == 0, "thread %d, round %d", number, r);
    shmem_ctx_long_atomic_add(ctx, &counter, 1, (number + r) % n);
    shmem_ctx_destroy(ctx);
    CHECK(shmem_n_pes() == n && shmem_my_pe() < n, "queries");
#if SPEC_AT_LEAST(1, 5)
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, r % n, SHMEM_TEAM_WORLD) == r % n, "translate");
#endif
  }
}

int main(void) {
  init_multiple();
  run_threads(churn);
  shmem_barrier_all();
  long sum = 0;
  for (int pe = 0; pe < shmem_n_pes(); pe++) sum += shmem_long_g(&counter, pe);
  CHECK(sum == (long)thread_count * rounds * shmem_n_pes(), "%ld increments", sum);
  shmem_finalize();
  return 0;
}
