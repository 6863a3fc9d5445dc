// Uncontended atomics on the other PE, and an uncontended lock.
#include "cases.h"

// On the heap, because Open MPI reaches static data only with the help of its owner.
static long* lock_word(void) { return &target[target_words - 1]; }

static long fetched, expected_sum;

static void clear(long size) {
  (void)size;
  target[0] = 0;
  *lock_word() = 0;
}

static bool counted(long first, long count) { return bench_me != 1 % bench_pes || target[0] == first + count; }

static bool fetched_and_counted(long first, long count) {
  return (bench_me != 0 || fetched == expected_sum) && counted(first, count);
}

static void fetch_add(long first, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += shmem_long_atomic_fetch_add(target, 1, next_pe);
  fetched = sum;
  expected_sum = count * first + count * (count - 1) / 2;
}

static void fetch_inc(long first, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += shmem_long_atomic_fetch_inc(target, next_pe);
  fetched = sum;
  expected_sum = count * first + count * (count - 1) / 2;
}

static void compare_swap(long first, long count) {
  long sum = 0;
  for (long i = first; i < first + count; ++i) sum += shmem_long_atomic_compare_swap(target, i, i + 1, next_pe);
  fetched = sum;
  expected_sum = count * first + count * (count - 1) / 2;
}

static void add_rate(long first, long count) {
  (void)first;
  for (long i = 0; i < count; ++i) shmem_long_atomic_add(target, 1, next_pe);
  shmem_quiet();
}

static void atomic_set(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) shmem_long_atomic_set(target, i, next_pe);
  shmem_quiet();
}

static void atomic_fetch(long first, long count) {
  shmem_long_p(target, first + count, next_pe);
  shmem_quiet();
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += shmem_long_atomic_fetch(target, next_pe);
  fetched = sum;
  expected_sum = count * (first + count);
}

// Under the lock the holder counts without atomics, as users do.
static void lock_cycle(long first, long count) {
  long* const lock = lock_word();
  volatile long* const counter = &target[0];
  for (long i = first + 1; i <= first + count; ++i) {
    shmem_set_lock(lock);
    *counter = *counter + 1;
    shmem_clear_lock(lock);
  }
}

static bool lock_valid(long first, long count) {
  if (bench_me != 0) return true;
  const bool is_free = shmem_test_lock(lock_word()) == 0;
  if (is_free) shmem_clear_lock(lock_word());
  return is_free && target[0] == first + count;
}

BENCH_KINDS = {{"fetch_*", "atomics", "fetching atomic", .radar = true},
               {"compare_swap", "atomics", "compare and swap", .radar = true},
               {"add_rate", "atomics", "atomic add, one after the other", .completion = "injected"},
               {"atomic_*", "atomics", "atomic set, fetch", .completion = "remote"}};

static const bench_case cases[] = {
    {"fetch_add", "atomic_fetch_add", reference_xadd, clear, fetch_add, fetched_and_counted, bench_alone, eight_bytes},
    {"fetch_inc", "atomic_fetch_inc", reference_xadd, clear, fetch_inc, fetched_and_counted, bench_alone, eight_bytes},
    {"compare_swap", "atomic_compare_swap", reference_xadd, clear, compare_swap, fetched_and_counted, bench_alone,
     eight_bytes},
    {"add_rate", "atomic_add", reference_xadd, clear, add_rate, counted, bench_alone, eight_bytes},
    {"atomic_set", "atomic_set", reference_store, clear, atomic_set, counted, bench_alone, eight_bytes},
    {"atomic_fetch", "atomic_fetch", reference_load, clear, atomic_fetch, fetched_and_counted, bench_alone,
     eight_bytes},
    {"lock_cycle", "set_lock + clear_lock", reference_xadd, clear, lock_cycle, lock_valid, bench_alone, eight_bytes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: fetch_add does not add.
// Noticed by: fetch_add
#ifdef BENCH_FAULT
long shmem_long_atomic_fetch_add(long* d, long v, int pe) { return *(long*)shmem_ptr(d, pe); }
#endif

// Fault: fetch_add fetches nothing.
// Noticed by: fetch_add
#ifdef BENCH_FAULT
long shmem_long_atomic_fetch_add(long* d, long v, int pe) {
  __atomic_fetch_add((long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST);
  return 0;
}
#endif
