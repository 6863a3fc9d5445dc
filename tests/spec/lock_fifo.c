// Locks are granted in the order of requests. While PE 0 holds the lock, the other PEs request it one after another,
// each some time after the one before. They must then get it in that order.
#include <time.h>
#include "symmetric.h"

enum { rounds = 3 };

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static void wait_for_askers(long* asking, long count) {
  while (shmem_long_atomic_fetch(asking, 0) < count) pause_ms(1);
  pause_ms(10);  // time from the announcement to the entry in the queue
}

// `place` is the position in the queue, from 1. On PE 0, `numbers[0]` counts the requests and `numbers[1]` the grants.
static void ask(long* lock, long* numbers, int place) {
  wait_for_askers(&numbers[0], place - 1);
  shmem_long_atomic_inc(&numbers[0], 0);
  shmem_set_lock(lock);
  const long turn = shmem_long_atomic_fetch_inc(&numbers[1], 0) + 1;
  shmem_clear_lock(lock);
  CHECK(turn == place, "asked as number %d, served as number %ld", place, turn);
}

// Each round another PE is first in the queue.
static void check_queue(long* lock, long* numbers, int round) {
  const int me = shmem_my_pe(), waiters = shmem_n_pes() - 1;
  if (me == 0) {
    numbers[0] = numbers[1] = 0;
    shmem_set_lock(lock);
  }
  shmem_barrier_all();
  if (me != 0) {
    ask(lock, numbers, 1 + (me - 1 + round) % waiters);
  } else {
    wait_for_askers(&numbers[0], waiters);
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS && shmem_n_pes() > 1; kind++) {
    long* lock = memory_take(kind, sizeof(long));
    long* numbers = memory_take(kind, 2 * sizeof(long));
    for (int round = 0; round < rounds; round++) check_queue(lock, numbers, round);
    memory_give_back(kind, numbers);
    memory_give_back(kind, lock);
  }
  shmem_finalize();
  return 0;
}
