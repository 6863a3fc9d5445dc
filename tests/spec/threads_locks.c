// Each thread has a lock of its own, contended by its peers on the other PEs.
#include "threads.h"

enum { rounds = 60 };

static long locks[thread_count], counters[thread_count];

static void count_up(int number) {
  for (int i = 0; i < rounds; i++) {
    shmem_set_lock(&locks[number]);
    shmem_long_p(&counters[number], shmem_long_g(&counters[number], 0) + 1, 0);
    shmem_clear_lock(&locks[number]);
  }
}

int main(void) {
  init_multiple();
  run_threads(count_up);
  shmem_barrier_all();
  for (int i = 0; i < thread_count; i++) {
    const long seen = shmem_long_g(&counters[i], 0);
    CHECK(seen == (long)rounds * shmem_n_pes(), "lock %d lost updates: %ld", i, seen);
  }
  shmem_finalize();
  return 0;
}
