// SHMEM_TEST_LOCK acquires a free lock and returns 0, or returns 1 if the lock is busy; it never waits.
#include "symmetric.h"

enum { rounds = 50 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* lock = memory_take(kind, sizeof(long));
    long* counter = memory_take(kind, sizeof(long));
    if (me == 0) CHECK(shmem_test_lock(lock) == 0, "a free lock is busy");
    shmem_barrier_all();
    if (me != 0) CHECK(shmem_test_lock(lock) == 1, "a held lock was taken");
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(lock);
    shmem_barrier_all();
    // Every PE gets the lock eventually by testing alone.
    for (int i = 0; i < rounds; i++) {
      int attempt;
      do {
        attempt = shmem_test_lock(lock);
        CHECK(attempt == 0 || attempt == 1, "test_lock returned %d", attempt);
      } while (attempt);
      shmem_long_p(counter, shmem_long_g(counter, 0) + 1, 0);
      shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(counter, 0) == (long)n * rounds, "lost updates: %ld", shmem_long_g(counter, 0));
    memory_give_back(kind, counter);
    memory_give_back(kind, lock);
  }
  shmem_finalize();
  return 0;
}
