// Eight bytes: puts, p, gets, g, and the same through shmem_ptr, which shows the cost of the calls.
#include <string.h>

#include "cases.h"

static long value;                 // source of the puts
static volatile size_t eight = 8;  // keeps the compiler from knowing the size
static long sum, chain_end;
static long static_target[target_words];  // symmetric too: data of the executable

// ---- to the other PE: operation i stores i

static void put_quiet(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    value = i;
    shmem_long_put(&target[word_of(i)], &value, 1, next_pe);
    shmem_quiet();
  }
}

static void putmem_quiet(long first, long count) {
  const size_t size = eight;
  for (long i = first + 1; i <= first + count; ++i) {
    value = i;
    shmem_putmem(&target[word_of(i)], &value, size, next_pe);
    shmem_quiet();
  }
}

static void put_rate(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    value = i;
    shmem_long_put(&target[word_of(i)], &value, 1, next_pe);
  }
  shmem_quiet();
}

static void putmem_rate(long first, long count) {
  const size_t size = eight;
  for (long i = first + 1; i <= first + count; ++i) {
    value = i;
    shmem_putmem(&target[word_of(i)], &value, size, next_pe);
  }
  shmem_quiet();
}

// The source may not change before the quiet, so each operation has its own.
static void put_nbi_rate(long first, long count) {
  static long values[target_words];
  for (long i = first + 1; i <= first + count; ++i) {
    values[word_of(i)] = i;
    shmem_long_put_nbi(&target[word_of(i)], &values[word_of(i)], 1, next_pe);
    if (word_of(i) == target_words - 1) shmem_quiet();
  }
  shmem_quiet();
}

static void p_rate(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) shmem_long_p(&target[word_of(i)], i, next_pe);
  shmem_quiet();
}

// The target waits inside the library, because Open MPI moves puts to static data only then.
static void p_static(long first, long count) {
  if (bench_me == 0)
    for (long i = first + 1; i <= first + count; ++i) shmem_long_p(&static_target[word_of(i)], i, next_pe);
  shmem_barrier_all();
}

static void ptr_store(long first, long count) {
  volatile long* there = shmem_ptr(target, next_pe);
  if (there == NULL) return;  // the check notices that nothing has moved
  for (long i = first + 1; i <= first + count; ++i) there[word_of(i)] = i;
  shmem_quiet();
}

static bool holds_last(const long* words, long first, long count) {
  if (bench_me != 1 % bench_pes) return true;
  const long last = first + count, oldest = count < target_words ? first + 1 : last - target_words + 1;
  for (long i = oldest; i <= last; ++i)
    if (words[word_of(i)] != i) return false;
  return true;
}

static void clear(long size) {
  (void)size;
  memset(target, 0, target_words * sizeof *target);
  memset(static_target, 0, sizeof static_target);
}

static bool stored(long first, long count) { return holds_last(target, first, count); }
static bool stored_static(long first, long count) { return holds_last(static_target, first, count); }

// ---- from the other PE: element w holds w + 1, so that a chain of gets visits all

static void fill(long size) {
  (void)size;
  for (long w = 0; w < target_words; ++w) target[w] = bench_me == 0 ? -1 : (w + 1) % target_words;
}

static void get(long first, long count) {
  long got = 0, total = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    shmem_long_get(&got, &target[word_of(i)], 1, next_pe);
    total += got;
  }
  sum = total;
}

static void getmem(long first, long count) {
  const size_t size = eight;
  long got = 0, total = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    shmem_getmem(&got, &target[word_of(i)], size, next_pe);
    total += got;
  }
  sum = total;
}

static void g(long first, long count) {
  long total = 0;
  for (long i = first + 1; i <= first + count; ++i) total += shmem_long_g(&target[word_of(i)], next_pe);
  sum = total;
}

static void ptr_load(long first, long count) {
  const volatile long* there = shmem_ptr(target, next_pe);
  if (there == NULL) return;
  long total = 0;
  for (long i = first + 1; i <= first + count; ++i) total += there[word_of(i)];
  sum = total;
}

static bool summed(long first, long count) {
  if (bench_me != 0) return true;
  long expected = 0;
  for (long i = first + 1; i <= first + count; ++i) expected += (long)word_of(i + 1);
  return sum == expected;
}

static void g_chain(long first, long count) {
  unsigned long at = word_of(first);
  for (long i = 0; i < count; ++i) at = (unsigned long)shmem_long_g(&target[at], next_pe);
  chain_end = (long)at;
}

static bool chained(long first, long count) { return bench_me != 0 || chain_end == (long)word_of(first + count); }

BENCH_KINDS = {{"put_quiet", "pt2pt", "put of 8 bytes, completed", .radar = true},
               {"putmem_quiet", "pt2pt", "the same through putmem", .completion = "remote"},
               {"put_rate", "pt2pt", "puts of 8 bytes, one after the other", .completion = "injected"},
               {"put_nbi_rate", "pt2pt", "non-blocking puts of 8 bytes", .completion = "injected"},
               {"putmem_rate", "pt2pt", "the same through putmem", .completion = "injected"},
               {"p_static", "pt2pt", "p to static data", .completion = "injected"},
               {"p_rate", "pt2pt", "p of a long", .completion = "injected"},
               {"g_chain", "pt2pt", "g, each from the address that the last one fetched", .completion = "local"},
               {"g", "pt2pt", "one number fetched", .completion = "local"},
               {"getmem", "pt2pt", "get of 8 bytes through getmem", .completion = "local"},
               {"ptr_*", "pt2pt", "load and store through shmem_ptr", .completion = "local", .streams = 1}};

static const bench_case cases[] = {
    {"put_quiet", "long_put(1) + quiet", reference_store_fence, clear, put_quiet, stored, bench_alone, eight_bytes},
    {"putmem_quiet", "putmem(8) + quiet", reference_store_fence, clear, putmem_quiet, stored, bench_alone, eight_bytes},
    {"put_rate", "long_put(1)", reference_store, clear, put_rate, stored, bench_alone, eight_bytes},
    {"putmem_rate", "putmem(8)", reference_store, clear, putmem_rate, stored, bench_alone, eight_bytes},
    {"put_nbi_rate", "long_put_nbi(1)", reference_store, clear, put_nbi_rate, stored, bench_alone, eight_bytes},
    {"p_rate", "long_p", reference_store, clear, p_rate, stored, bench_alone, eight_bytes},
    {"p_static", "long_p to static data", reference_store, clear, p_static, stored_static, bench_everyone, eight_bytes},
    {"ptr_store", "store through shmem_ptr", reference_store, clear, ptr_store, stored, bench_alone, eight_bytes},
    {"get", "long_get(1)", reference_load, fill, get, summed, bench_alone, eight_bytes},
    {"getmem", "getmem(8)", reference_load, fill, getmem, summed, bench_alone, eight_bytes},
    {"g", "long_g", reference_load, fill, g, summed, bench_alone, eight_bytes},
    {"g_chain", "long_g, each at the index that the last one fetched", reference_chain, fill, g_chain, chained,
     bench_alone, eight_bytes},
    {"ptr_load", "load through shmem_ptr", reference_load, fill, ptr_load, summed, bench_alone, eight_bytes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: put moves nothing.
// Noticed by: put_quiet, put_rate
#ifdef BENCH_FAULT
void shmem_long_put(long* d, const long* s, size_t n, int pe) {}
#endif

// Fault: p stores at home.
// Noticed by: p_rate, fence, lock.alone
#ifdef BENCH_FAULT
void shmem_long_p(long* d, long value, int pe) { *d = value; }
#endif

// Fault: get moves nothing.
// Noticed by: get
#ifdef BENCH_FAULT
void shmem_long_get(long* d, const long* s, size_t n, int pe) {}
#endif

// Fault: g reads at home.
// Noticed by: g, g_chain
#ifdef BENCH_FAULT
long shmem_long_g(const long* s, int pe) { return *s; }
#endif
