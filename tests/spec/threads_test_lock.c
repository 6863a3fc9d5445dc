// A failed test of a lock that another PE holds leaves no trace: the next attempt, by any thread, can succeed.
#include "threads.h"

static long lock;

static void find_it_taken(int number) {
  (void)number;
  CHECK(shmem_test_lock(&lock) == 1, "a lock that PE 0 holds was taken");
}

int main(void) {
  init_multiple();
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me != 0) run_threads(find_it_taken);
  shmem_barrier_all();
  if (me == 0) shmem_clear_lock(&lock);
  shmem_barrier_all();
  if (me == last) {
    CHECK(shmem_test_lock(&lock) == 0, "a free lock is busy");
    shmem_clear_lock(&lock);
  }
  shmem_finalize();
  return 0;
}
