// Barriers. From time to time a PE writes its progress to the page of the harness. After the barrier it looks for PEs
// that had not arrived, which catches a barrier that does not wait.
#include "cases.h"

enum { look_every = 256 };

static long early;  // PEs that had not arrived at our exit

static void arrive(long operation) {
  if (operation % look_every == 0) page_set(&page->progress[bench_me], (uint64_t)operation);
}

static void look(long operation) {
  if (operation % look_every != 0) return;
  for (int pe = 0; pe < bench_pes; ++pe) early += page_get(&page->progress[pe]) < (uint64_t)operation;
}

static void clear(long size) {
  (void)size;
  early = 0;
  page_set(&page->progress[bench_me], 0);
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

BENCH_KINDS = {
    {"fence*", "sync", "fence", .completion = "local"},
    {"barrier_all*", "collectives", "barrier of all", .completion = "notified", .omb = "Barrier", .radar = true},
    {"sync_all*", "collectives", "sync of all", .completion = "notified", .radar = true}};

static const bench_case cases[] = {
    {"fence", "long_p + fence", reference_store, NULL, fence, fence_valid, bench_alone, eight_bytes},
    {"barrier_all", "barrier_all", reference_exchange, clear, barrier_all, waited, bench_everyone, NULL},
    {"sync_all", "sync_all", reference_exchange, clear, sync_all, waited, bench_everyone, NULL},
    {0}};

BENCH_CASES(bench_any_pes, cases)

// Fault: barrier does not wait.
// Noticed by: barrier_all
#ifdef BENCH_FAULT
void shmem_barrier_all(void) {}
#endif

// Fault: sync does not wait.
// Noticed by: sync_all
#ifdef BENCH_FAULT
void shmem_sync_all(void) {}
#endif
