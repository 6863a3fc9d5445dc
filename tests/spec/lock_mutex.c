// Locks exclude: updates by plain get and put under a lock are never lost, and clear_lock completes
// them.
#include "symmetric.h"

enum { rounds = 200 };

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* lock = memory_take(kind, sizeof(long));
    long* second_lock = memory_take(kind, sizeof(long));
    long* counter = memory_take(kind, 2 * sizeof(long));
    for (int i = 0; i < rounds; i++) {
      shmem_set_lock(lock);
      const long seen = shmem_long_g(&counter[0], n - 1);
      shmem_long_p(&counter[0], seen + 1, n - 1);
      shmem_clear_lock(lock);

      // Two locks at once, always in the same order.
      shmem_set_lock(lock);
      shmem_set_lock(second_lock);
      const long value = shmem_long_g(&counter[1], 0) + 2;
      shmem_long_put_nbi(&counter[1], &value, 1, 0);
      shmem_clear_lock(second_lock);
      shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&counter[0], n - 1) == (long)n * rounds, "lost updates: %ld of %ld",
          shmem_long_g(&counter[0], n - 1), (long)n * rounds);
    CHECK(shmem_long_g(&counter[1], 0) == 2L * n * rounds, "lost updates under two locks");
    memory_give_back(kind, counter);
    memory_give_back(kind, second_lock);
    memory_give_back(kind, lock);
  }
  shmem_finalize();
  return 0;
}
