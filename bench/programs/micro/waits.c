// Waits for one, some or all of m flags that the partner sets, then an answer: one way of a ping-pong; m is the size.
#include <limits.h>
#include <string.h>

#include "cases.h"

static int partner;
static bool starts;
static size_t flags;
static long wrong, passed;
static long lone_value[target_words];  // for waits for any: the value of the next flag

static void prepare(long size) {
  const int half = bench_pes / 2;
  starts = bench_me < half;
  partner = bench_me >= 2 * half ? -1 : starts ? bench_me + half : bench_me - half;
  flags = (size_t)size;
  wrong = passed = 0;
  memset(target, 0, target_words * sizeof *target);
  for (size_t f = 0; f < flags; ++f) lone_value[f] = LONG_MAX;
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
static void by_wait_until(long first, long count) { play(first, count, tell_all, one_by_one); }
static void test_them(long i) {
  for (size_t f = 0; f < flags; ++f)
    while (!shmem_long_test(&target[f], SHMEM_CMP_GE, i)) {
    }
  check_all(i);
}
static void by_test(long first, long count) { play(first, count, tell_all, test_them); }

#if BENCH_HAS_WAIT_SETS
static int none[target_words];

static void tell_one(long i) {  // the other flags are set already
  shmem_long_p(&target[(size_t)i % flags], i, partner);
}

static void wait_all(long i) {
  shmem_long_wait_until_all(target, flags, none, SHMEM_CMP_GE, i);
  check_all(i);
}
static void by_all(long first, long count) { play(first, count, tell_all, wait_all); }
static void test_all(long i) {
  while (!shmem_long_test_all(target, flags, none, SHMEM_CMP_GE, i)) {
  }
  check_all(i);
}
static void by_test_all(long first, long count) { play(first, count, tell_all, test_all); }
static void wait_any(long i) {
  const size_t which = shmem_long_wait_until_any(target, flags, none, SHMEM_CMP_GE, i);
  wrong += which != (size_t)i % flags || target[which] != i;
}
static void by_any(long first, long count) { play(first, count, tell_one, wait_any); }
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
static void wait_some(long i) { gather(i, shmem_long_wait_until_some); }
static void by_some(long first, long count) { play(first, count, tell_all, wait_some); }
static void test_some(long i) { gather(i, shmem_long_test_some); }
static void by_test_some(long first, long count) { play(first, count, tell_all, test_some); }
static void test_any(long i) {
  size_t which = SIZE_MAX;
  while (which == SIZE_MAX) which = shmem_long_test_any(target, flags, none, SHMEM_CMP_GE, i);
  wrong += which != (size_t)i % flags;
}
static void by_test_any(long first, long count) { play(first, count, tell_one, test_any); }

// ---- different values: flag f is f larger than the operation

static const long* values_of(long i) {
  static long values[target_words];
  for (size_t f = 0; f < flags; ++f) values[f] = i + (long)f;
  return values;
}
static void tell_values(long i) {
  for (size_t f = 0; f < flags; ++f) shmem_long_p(&target[f], i + (long)f, partner);
}
static void check_values(long i) {
  for (size_t f = 0; f < flags; ++f) wrong += target[f] != i + (long)f;
}
static void tell_a_value(long i) {
  const size_t f = (size_t)i % flags;
  shmem_long_p(&target[f], i + (long)f, partner);
}
// The other flags have values that never arrive.
static const long* value_in_turn(long i) {
  lone_value[(size_t)(i - 1) % flags] = LONG_MAX;
  lone_value[(size_t)i % flags] = i + i % (long)flags;
  return lone_value;
}

static void wait_all_vector(long i) {
  shmem_long_wait_until_all_vector(target, flags, none, SHMEM_CMP_EQ, values_of(i));
  check_values(i);
}
static void by_all_vector(long first, long count) { play(first, count, tell_values, wait_all_vector); }
static void test_all_vector(long i) {
  const long* const values = values_of(i);
  while (!shmem_long_test_all_vector(target, flags, none, SHMEM_CMP_EQ, values)) {
  }
  check_values(i);
}
static void by_test_all_vector(long first, long count) { play(first, count, tell_values, test_all_vector); }
static void check_in_turn(long i, size_t which) {
  wrong += which != (size_t)i % flags || target[which] != i + (long)which;
}
static void wait_any_vector(long i) {
  check_in_turn(i, shmem_long_wait_until_any_vector(target, flags, none, SHMEM_CMP_EQ, value_in_turn(i)));
}
static void by_any_vector(long first, long count) { play(first, count, tell_a_value, wait_any_vector); }
static void test_any_vector(long i) {
  const long* const values = value_in_turn(i);
  size_t which = SIZE_MAX;
  while (which == SIZE_MAX) which = shmem_long_test_any_vector(target, flags, none, SHMEM_CMP_EQ, values);
  check_in_turn(i, which);
}
static void by_test_any_vector(long first, long count) { play(first, count, tell_a_value, test_any_vector); }
static const long* wanted;
static size_t some_of_vector(long* at, size_t n, size_t* which, const int* done, int cmp, long i) {
  (void)cmp, (void)i;
  return shmem_long_wait_until_some_vector(at, n, which, done, SHMEM_CMP_EQ, wanted);
}
static size_t test_some_of_vector(long* at, size_t n, size_t* which, const int* done, int cmp, long i) {
  (void)cmp, (void)i;
  return shmem_long_test_some_vector(at, n, which, done, SHMEM_CMP_EQ, wanted);
}
static void gather_values(long i, look_for_some* look) {
  wanted = values_of(i);
  gather(i, look);
  check_values(i);
}
static void wait_some_vector(long i) { gather_values(i, some_of_vector); }
static void by_some_vector(long first, long count) { play(first, count, tell_values, wait_some_vector); }
static void test_some_vector(long i) { gather_values(i, test_some_of_vector); }
static void by_test_some_vector(long first, long count) { play(first, count, tell_values, test_some_vector); }
#endif

static bool valid(long first, long count) { return wrong == 0 && passed == first + count; }

static const long counts[] = {8, 1, 64, 0};
enum { pairs = bench_pairs | bench_own_sizes };

// The limit of all these cases: one line there and back, which holds eight flags.
#define ROW(name, how, body) {"wait." name, how, reference_line, prepare, body, valid, pairs, counts}

BENCH_KINDS = {{"wait.*", "sync", "waits for sets of flags", .completion = "notified", .counts = "{} flags"}};

static const bench_case cases[] = {
    ROW("until", "m long_p; wait_until of each", by_wait_until),
    ROW("test", "m long_p; test of each until true", by_test),
#if BENCH_HAS_WAIT_SETS
    ROW("all", "m long_p; wait_until_all", by_all),
    ROW("test_all", "m long_p; test_all until true", by_test_all),
    ROW("some", "m long_p; wait_until_some until all", by_some),
    ROW("test_some", "m long_p; test_some until all", by_test_some),
    ROW("any", "one long_p; wait_until_any of m", by_any),
    ROW("test_any", "one long_p; test_any of m until true", by_test_any),
    ROW("all_vector", "m long_p; wait_until_all_vector", by_all_vector),
    ROW("test_all_vector", "m long_p; test_all_vector until true", by_test_all_vector),
    ROW("some_vector", "m long_p; wait_until_some_vector until all", by_some_vector),
    ROW("test_some_vector", "m long_p; test_some_vector until all", by_test_some_vector),
    ROW("any_vector", "one long_p; wait_until_any_vector of m", by_any_vector),
    ROW("test_any_vector", "one long_p; test_any_vector of m until true", by_test_any_vector),
#endif
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: wait_until_any does not wait.
// Noticed by: wait.any
#ifdef BENCH_FAULT
size_t shmem_long_wait_until_any(long* v, size_t n, const int* s, int c, long x) { return 0; }
#endif

// Fault: test_all says yes at once, wait_until_all_vector does not wait.
// Noticed by: wait.test_all, wait.all_vector
#ifdef BENCH_FAULT
int shmem_long_test_all(long* v, size_t n, const int* s, int c, long x) { return 1; }
void shmem_long_wait_until_all_vector(long* v, size_t n, const int* s, int c, const long* x) {}
#endif

// Fault: test_some finds what has not come.
// Noticed by: wait.test_some
#ifdef BENCH_FAULT
size_t shmem_long_test_some(long* v, size_t n, size_t* w, const int* s, int c, long x) {
  for (size_t k = 0; k < n; ++k) w[k] = k;
  return n;
}
#endif

// Fault: waits for any of a vector do not wait.
// Noticed by: wait.any_vector, wait.test_any_vector
#ifdef BENCH_FAULT
size_t shmem_long_wait_until_any_vector(long* v, size_t n, const int* s, int c, const long* x) { return 0; }
size_t shmem_long_test_any_vector(long* v, size_t n, const int* s, int c, const long* x) { return 0; }
#endif

// Fault: waits for some or all of a vector find what has not come.
// Noticed by: wait.some_vector, wait.test_some_vector, wait.test_all_vector
#ifdef BENCH_FAULT
size_t shmem_long_wait_until_some_vector(long* v, size_t n, size_t* w, const int* s, int c, const long* x) {
  for (size_t k = 0; k < n; ++k) w[k] = k;
  return n;
}
size_t shmem_long_test_some_vector(long* v, size_t n, size_t* w, const int* s, int c, const long* x) {
  for (size_t k = 0; k < n; ++k) w[k] = k;
  return n;
}
int shmem_long_test_all_vector(long* v, size_t n, const int* s, int c, const long* x) { return 1; }
#endif

// Fault: a wait for all of a vector compares with other values.
// Noticed by: wait.all_vector
#ifdef BENCH_FAULT
void shmem_long_wait_until_all_vector(long* v, size_t n, const int* s, int c, const long* x) {
  shmem_long_wait_until_all(v, n, s, SHMEM_CMP_GE, x[0] - 1);
}
#endif
