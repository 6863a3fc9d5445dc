// Barrier and sync of an active set: all PEs, or every other PE. The check is that of barrier.c.
#include "cases.h"

enum { look_every = 64 };

// Symmetric work arrays, alternating by the parity of the operation.
static long barrier_sync[2][SHMEM_BARRIER_SYNC_SIZE];
static int start, log_stride, members;
static long early;  // PEs that had not arrived at our exit

static void prepare(int first, int log2, int size) {
  start = first;
  log_stride = log2;
  members = size;
  early = 0;
  page_set(&page->progress[bench_me], 0);
  for (int half = 0; half < 2; ++half)
    for (int word = 0; word < SHMEM_BARRIER_SYNC_SIZE; ++word) barrier_sync[half][word] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
}
static void of_all(long size) {
  (void)size;
  prepare(0, 0, bench_pes);
}
static void odds_and_evens(long size) {
  (void)size;
  prepare(bench_me % 2, 1, (bench_pes + 1 - bench_me % 2) / 2);
}

static void arrive(long i) {
  if (i % look_every == 0) page_set(&page->progress[bench_me], (uint64_t)i);
}
static void look(long i) {
  for (int m = 0; i % look_every == 0 && m < members; ++m)
    early += page_get(&page->progress[start + (m << log_stride)]) < (uint64_t)i;
}
static void barrier(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    arrive(i);
    shmem_barrier(start, log_stride, members, barrier_sync[i % 2]);
    look(i);
  }
}
static void sync(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    arrive(i);
    shmem_sync(start, log_stride, members, barrier_sync[i % 2]);
    look(i);
  }
}
static bool waited(long first, long count) {
  (void)first;
  return count > 0 && early == 0;
}

BENCH_KINDS = {{"barrier_aset*", "collectives", "barrier of an active set", .completion = "notified"},
               {"sync_aset*", "collectives", "sync of an active set", .completion = "notified"}};

static const bench_case cases[] = {
    {"barrier_aset", "barrier of all PEs as an active set", reference_exchange, of_all, barrier, waited, bench_everyone,
     NULL},
    {"sync_aset", "sync of all PEs as an active set", reference_exchange, of_all, sync, waited, bench_everyone, NULL},
    {"barrier_aset.every_other", "barrier, odd and even PEs at once", 0, odds_and_evens, barrier, waited,
     bench_everyone, NULL},
    {"sync_aset.every_other", "sync, odd and even PEs at once", 0, odds_and_evens, sync, waited, bench_everyone, NULL},
    {0}};

BENCH_CASES(bench_any_pes, cases)

// Fault: barrier and sync of an active set do not wait.
// Noticed by: barrier_aset, sync_aset, barrier_aset.every_other, sync_aset.every_other (on 4 PEs)
#ifdef BENCH_FAULT
#undef shmem_sync
void shmem_barrier(int a, int b, int c, long* s) {}
void shmem_sync(int a, int b, int c, long* s) {}
#endif
