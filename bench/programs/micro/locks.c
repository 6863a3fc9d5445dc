// A contended lock: the cost of a turn, and how evenly the PEs get it.
#include <string.h>

#include "cases.h"
#include "turns.h"

static long* lock(void) { return &target[target_words - 1]; }
static long mine;  // turns of this PE in the batch under contention

static void prepare_counting(void);

// The counter under the lock lives on PE 0 and is changed without atomics.
static void turn(void) {
  shmem_set_lock(lock());
  const long held = shmem_long_g(&target[0], 0);
  shmem_long_p(&target[0], held + 1, 0);
  shmem_quiet();
  shmem_clear_lock(lock());
}

static void contended(long first, long count) {
  (void)first;
  for (long i = 0; i < count; ++i) turn();
}
static bool counted(long first, long count) { return bench_me != 0 || target[0] == (first + count) * bench_pes; }

// All PEs take turns until the counter reaches its end; then the turns of each PE are compared.
static void race(long first, long count) {
  const long until = (first + count) * bench_pes;
  mine = 0;
  for (bool done = false; !done;) {
    shmem_set_lock(lock());
    const long held = shmem_long_g(&target[0], 0);
    done = held >= until;
    if (!done) {
      shmem_long_p(&target[0], held + 1, 0);
      shmem_quiet();
      ++mine;
    }
    shmem_clear_lock(lock());
  }
  turns_tell(mine);
}
static bool raced(long first, long count) { return turns_are(count) && counted(first, count); }
static void prepare_counting(void) {
  target[0] = 0;
  *lock() = 0;
  shmem_barrier_all();
}
static void prepare(long size) {
  (void)size;
  prepare_counting();
}
static void prepare_race(long size) {
  prepare(size);
  turns_prepare();
}

// A lock that is held: test_lock must report it.
static long taken;
static bool held;  // by this PE
static void release(void) {
  if (held) shmem_clear_lock(lock());
  held = false;
  shmem_barrier_all();
}
static void prepare_test(long size) {
  release();
  prepare(size);
  taken = 0;
  held = bench_me == 1 % bench_pes;
  if (held) shmem_set_lock(lock());
  shmem_barrier_all();
}
static void test(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    const bool got = shmem_test_lock(lock()) == 0;
    taken += got;
    if (got) shmem_clear_lock(lock());
  }
}
static bool refused(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || taken == 0);
}
static void prepare_free(long size) {
  (void)size;
  release();
  taken = 0;
  prepare_counting();
}
static void test_free(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    taken += shmem_test_lock(lock()) == 0;
    shmem_clear_lock(lock());
  }
}
static bool granted(long first, long count) { return bench_me != 0 || taken == first + count; }

// Without contention.
static void alone(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    shmem_set_lock(lock());
    const long held = shmem_long_g(&target[0], next_pe);
    shmem_long_p(&target[0], held + 1, next_pe);
    shmem_clear_lock(lock());
  }
}
static bool counted_there(long first, long count) { return bench_me != 1 % bench_pes || target[0] == first + count; }

BENCH_KINDS = {{"lock*", "sync", "locks", .completion = "remote"}};

static const bench_case cases[] = {
    {"lock.alone", "set_lock, g, p, clear_lock; no contention", reference_xadd, prepare, alone, counted_there,
     bench_alone, NULL},
    {"lock.contended", "set_lock, g, p, quiet, clear_lock; all PEs, a turn of each", 0, prepare, contended, counted,
     bench_everyone, NULL},
    {"lock.race", "the same, in any order", 0, prepare_race, race, raced, bench_everyone, NULL},
    {"lock.test_held", "test_lock of a held one", 0, prepare_test, test, refused, bench_alone, NULL},
    {"lock.test_free", "test_lock, clear_lock", 0, prepare_free, test_free, granted, bench_alone, NULL},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: a lock admits every PE.
// Noticed by: lock.contended
#ifdef BENCH_FAULT
void shmem_set_lock(long* l) { (void)l; }
void shmem_clear_lock(long* l) { (void)l; }
#endif
