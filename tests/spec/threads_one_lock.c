// All threads of all PEs contend for one lock.
#include "threads.h"

enum { rounds = 60 };

static long lock, counter, try_lock, try_counter;

static void count_up(int number) {
  for (int i = 0; i < rounds; i++) {
    shmem_set_lock(&lock);
    shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
    shmem_clear_lock(&lock);
    if (number == 0)
      shmem_set_lock(&try_lock); /* while others of its PE test it */
    else
      while (shmem_test_lock(&try_lock)) continue;
    shmem_long_p(&try_counter, shmem_long_g(&try_counter, 0) + 1, 0);
    shmem_clear_lock(&try_lock);
  }
}

int main(void) {
  init_multiple();
  run_threads(count_up);
  shmem_barrier_all();
  const long expected = (long)rounds * thread_count * shmem_n_pes();
  CHECK(shmem_long_g(&counter, 0) == expected, "lost updates: %ld", shmem_long_g(&counter, 0));
  CHECK(shmem_long_g(&try_counter, 0) == expected, "lost updates: %ld", shmem_long_g(&try_counter, 0));
  shmem_finalize();
  return 0;
}
