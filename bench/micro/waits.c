// Waiting for one, some or all of m flags that the partner sets, and telling it: one way of a ping-pong; m is the size.
#include <string.h>

#include "cases.h"

static int partner;
static bool starts;
static size_t flags;
static long wrong, passed;

static void prepare(long size) {
  const int half = bench_pes / 2;
  starts = bench_me < half;
  partner = bench_me >= 2 * half ? -1 : starts ? bench_me + half : bench_me - half;
  flags = (size_t)size;
  wrong = passed = 0;
  memset(target, 0, target_words * sizeof *target);
  shmem_barrier_all();
}

static void tell_all(long i) {
  for (size_t f = 0; f < flags; ++f) shmem_long_p(&target[f], i, partner);
}

typedef void step(long i);
static void play(long first, long count, step* tell, step* wait) {
  for (long i = first + 1; partner >= 0 && i <= first + count; ++i) {
    if (starts) tell(i);
    wait(i);
    if (!starts) tell(i);
  }
  passed = first + count;
}

static void check_all(long i) {
  for (size_t f = 0; f < flags; ++f) wrong += target[f] < i;
}
static void one_by_one(long i) {
  for (size_t f = 0; f < flags; ++f) shmem_long_wait_until(&target[f], SHMEM_CMP_GE, i);
  check_all(i);
}
static void by_wait_until(long first, long count) {
  play(first, count, tell_all, one_by_one);
}
static void test_them(long i) {
  for (size_t f = 0; f < flags; ++f)
    while (!shmem_long_test(&target[f], SHMEM_CMP_GE, i)) {
    }
  check_all(i);
}
static void by_test(long first, long count) {
  play(first, count, tell_all, test_them);
}

#if BENCH_HAS_WAIT_SETS
static int none[target_words];

static void tell_one(long i) {  // the others are there already
  shmem_long_p(&target[(size_t)i % flags], i, partner);
}

static void wait_all(long i) {
  shmem_long_wait_until_all(target, flags, none, SHMEM_CMP_GE, i);
  check_all(i);
}
static void by_all(long first, long count) {
  play(first, count, tell_all, wait_all);
}
static void test_all(long i) {
  while (!shmem_long_test_all(target, flags, none, SHMEM_CMP_GE, i)) {
  }
  check_all(i);
}
static void by_test_all(long first, long count) {
  play(first, count, tell_all, test_all);
}
static void wait_all_vector(long i) {  // each has a value of its own
  static long values[target_words];
  for (size_t f = 0; f < flags; ++f) values[f] = i;
  shmem_long_wait_until_all_vector(target, flags, none, SHMEM_CMP_GE, values);
  check_all(i);
}
static void by_all_vector(long first, long count) {
  play(first, count, tell_all, wait_all_vector);
}
static void wait_any(long i) {
  const size_t which = shmem_long_wait_until_any(target, flags, none, SHMEM_CMP_GE, i);
  wrong += which != (size_t)i % flags || target[which] != i;
}
static void by_any(long first, long count) {
  play(first, count, tell_one, wait_any);
}
typedef size_t look_for_some(long*, size_t, size_t*, const int*, int, long);
static void gather(long i, look_for_some* look) {
  static size_t which[target_words];
  for (size_t seen = 0; seen < flags;) {
    static int done[target_words];
    if (seen == 0) memset(done, 0, sizeof done);
    const size_t n = look(target, flags, which, done, SHMEM_CMP_GE, i);
    for (size_t k = 0; k < n; ++k) done[which[k]] = 1;
    seen += n;
  }
  check_all(i);
}
static void wait_some(long i) {
  gather(i, shmem_long_wait_until_some);
}
static void by_some(long first, long count) {
  play(first, count, tell_all, wait_some);
}
static void test_some(long i) {
  gather(i, shmem_long_test_some);
}
static void by_test_some(long first, long count) {
  play(first, count, tell_all, test_some);
}
static void test_any(long i) {
  size_t which = SIZE_MAX;
  while (which == SIZE_MAX) which = shmem_long_test_any(target, flags, none, SHMEM_CMP_GE, i);
  wrong += which != (size_t)i % flags;
}
static void by_test_any(long first, long count) {
  play(first, count, tell_one, test_any);
}
#endif

static bool valid(long first, long count) {
  return wrong == 0 && passed == first + count;
}

static const long counts[] = {8, 1, 64, 0};
enum { pairs = bench_pairs | bench_own_sizes };

const bench_case wait_set_cases[] = {
    {"wait.until", "m long_p; wait_until of each", 0, prepare, by_wait_until, valid, pairs, counts},
    {"wait.test", "m long_p; test of each until true", 0, prepare, by_test, valid, pairs, counts},
#if BENCH_HAS_WAIT_SETS
    {"wait.all", "m long_p; wait_until_all", 0, prepare, by_all, valid, pairs, counts},
    {"wait.all_vector", "m long_p; wait_until_all_vector", 0, prepare, by_all_vector, valid, pairs, counts},
    {"wait.test_all", "m long_p; test_all until true", 0, prepare, by_test_all, valid, pairs, counts},
    {"wait.some", "m long_p; wait_until_some until all", 0, prepare, by_some, valid, pairs, counts},
    {"wait.test_some", "m long_p; test_some until all", 0, prepare, by_test_some, valid, pairs, counts},
    {"wait.any", "one long_p; wait_until_any of m", 0, prepare, by_any, valid, pairs, counts},
    {"wait.test_any", "one long_p; test_any of m until true", 0, prepare, by_test_any, valid, pairs, counts},
#endif
    {0}};
