// Locks are granted in the order of requests. While PE 0 holds the lock, the other PEs request it one after another,
// each when the one before is the last of the queue. The upper half of the lock on one of the PEs is its number plus 1.
// They must then get it in that order.
// @extension
#include <time.h>
#include "symmetric.h"

enum { rounds = 3 };

static int last_of_queue(const long* lock) {
  for (int pe = 0; pe < shmem_n_pes(); pe++) {
    const uint64_t tail = (uint64_t)shmem_long_g(lock, pe) >> 32;
    if (tail != 0) return (int)tail - 1;
  }
  return -1;
}

static void wait_for_asker(const long* lock, int pe) {
  while (last_of_queue(lock) != pe) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

// Position in the queue, from 1, and the PE there. Each round another PE is first. PE 0 holds the lock.
static int place_of(int pe, int round) { return 1 + (pe - 1 + round) % (shmem_n_pes() - 1); }
static int pe_at(int place, int round) {
  int pe = place == 0 ? 0 : 1;
  while (pe != 0 && place_of(pe, round) != place) pe++;
  return pe;
}

// `served` on PE 0 counts the grants.
static void check_queue(long* lock, long* served, int round) {
  const int me = shmem_my_pe();
  if (me == 0) {
    *served = 0;
    shmem_set_lock(lock);
  }
  shmem_barrier_all();
  if (me != 0) {
    const int place = place_of(me, round);
    wait_for_asker(lock, pe_at(place - 1, round));
    shmem_set_lock(lock);
    const long turn = shmem_long_atomic_fetch_inc(served, 0) + 1;
    shmem_clear_lock(lock);
    CHECK(turn == place, "asked as number %d, served as number %ld", place, turn);
  } else {
    wait_for_asker(lock, pe_at(shmem_n_pes() - 1, round));
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS && shmem_n_pes() > 1; kind++) {
    long* lock = memory_take(kind, sizeof(long));
    long* served = memory_take(kind, sizeof(long));
    for (int round = 0; round < rounds; round++) check_queue(lock, served, round);
    memory_give_back(kind, served);
    memory_give_back(kind, lock);
  }
  shmem_finalize();
  return 0;
}
