// Barriers. Now and then a PE notes on the harness' page where it is, and looks after the barrier
// whether anybody has not got there: a barrier that does not wait is caught.
#include "cases.h"

enum { look_every = 256 };

static long early;  // PEs that had not arrived when we left

static void arrive(long operation) {
  if (operation % look_every == 0) page_set(&page->places[bench_me], (uint64_t)operation);
}

static void look(long operation) {
  if (operation % look_every != 0) return;
  for (int pe = 0; pe < bench_pes; ++pe) early += page_get(&page->places[pe]) < (uint64_t)operation;
}

static void clear(long size) {
  (void)size;
  early = 0;
  page_set(&page->places[bench_me], 0);
}

static bool waited(long first, long count) {
  (void)first;
  return count > 0 && early == 0;
}

static void barrier_all(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    arrive(i);
    shmem_barrier_all();
    look(i);
  }
}

static void sync_all(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    arrive(i);
    shmem_sync_all();
    look(i);
  }
}

static void fence(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    shmem_long_p(&target[word_of(i)], i, next_pe);
    shmem_fence();
  }
  shmem_quiet();
}

static bool fence_valid(long first, long count) {
  const long last = first + count;
  return bench_me != 1 % bench_pes || target[word_of(last)] == last;
}

const bench_case barrier_cases[] = {
    {"fence", "long_p + fence", reference_store, NULL, fence, fence_valid, bench_alone,
     eight_bytes},
    {"barrier_all", "barrier_all", reference_exchange, clear, barrier_all, waited, bench_everyone,
     NULL},
    {"sync_all", "sync_all", reference_exchange, clear, sync_all, waited, bench_everyone, NULL},
    {0}};
