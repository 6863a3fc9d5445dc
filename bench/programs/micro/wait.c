// One PE notifies another. A token runs round all PEs, and the result is the time of one hop; with two PEs that is half
// a ping-pong. In the *_pairs form PE i exchanges with PE i + n/2 only, all pairs at once.
#include <string.h>

#include "cases.h"

// Symmetric flags on lines of their own.
static long* flag(void) { return &target[0]; }
static long* payload(void) { return &target[64]; }  // the data of the token

static long wrong;  // wrong payloads

static void clear(long size) {
  (void)size;
  memset(target, 0, target_words * sizeof *target);
  wrong = 0;
}

static bool passed(long first, long count) { return *flag() == first + count; }

static void pass_p(long token) { shmem_long_p(flag(), token, next_pe); }

static void p_wait(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) pass_p(i);
    shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
    if (bench_me != 0) pass_p(i);
  }
}

// Half of all PEs start a token at once. An operation is two hops for any number of PEs.
static void p_wait_pairs(long first, long count) {
  const int half = bench_pes / 2;
  const bool starts = bench_me < half;
  const int partner = starts ? bench_me + half : bench_me - half;
  if (bench_me >= 2 * half) {  // no partner
    *flag() = first + count;
    return;
  }
  for (long i = first + 1; i <= first + count; ++i) {
    if (starts) shmem_long_p(flag(), i, partner);
    shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
    if (!starts) shmem_long_p(flag(), i, partner);
  }
}

static void pass_put_fence_p(long token) {
  long value = token * 3;
  shmem_long_put(payload(), &value, 1, next_pe);
  shmem_fence();
  shmem_long_p(flag(), token, next_pe);
}

static void put_fence_p(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) pass_put_fence_p(i);
    shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
    wrong += *payload() != i * 3;
    if (bench_me != 0) pass_put_fence_p(i);
  }
}

static bool carried(long first, long count) { return wrong == 0 && passed(first, count); }

static void pass_atomic(long token) { shmem_long_atomic_set(flag(), token, next_pe); }

static void atomic_set_wait(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) pass_atomic(i);
    shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
    if (bench_me != 0) pass_atomic(i);
  }
}

#if BENCH_HAS_1_5
static uint64_t* signal_word(void) { return (uint64_t*)&target[128]; }
static long* word_beside_signal(void) { return &target[129]; }

static void pass_signal(long* data, long token) {
  long value = token * 3;
  shmem_long_put_signal(data, &value, 1, signal_word(), (uint64_t)token, SHMEM_SIGNAL_SET, next_pe);
}

static void signal_ring(long* data, long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) pass_signal(data, i);
    shmem_signal_wait_until(signal_word(), SHMEM_CMP_GE, (uint64_t)i);
    wrong += *data != i * 3;
    if (bench_me != 0) pass_signal(data, i);
  }
}

static void put_signal(long first, long count) { signal_ring(payload(), first, count); }
static void put_signal_beside(long first, long count) { signal_ring(word_beside_signal(), first, count); }

static bool signalled(long first, long count) { return wrong == 0 && *signal_word() == (uint64_t)(first + count); }
#endif

BENCH_KINDS = {{"put_signal*", "sync", "put with signal, one way", .completion = "notified"},
               {"put_fence_p", "sync", "put, fence, flag; one way", .completion = "notified"},
               {"p_wait*", "sync", "a flag and a wait, one way", .completion = "notified"},
               {"atomic_set_wait", "sync", "atomic set and a wait, one way", .completion = "notified"}};

static const bench_case cases[] = {
    {"p_wait", "long_p, wait_until", reference_line, clear, p_wait, passed, bench_ring, eight_bytes},
    {"p_wait_pairs", "long_p, wait_until, pairs", reference_line, clear, p_wait_pairs, passed, bench_pairs,
     eight_bytes},
    {"atomic_set_wait", "atomic_set, wait_until", reference_line, clear, atomic_set_wait, passed, bench_ring,
     eight_bytes},
    {"put_fence_p", "long_put + fence + long_p, wait_until", reference_message, clear, put_fence_p, carried, bench_ring,
     eight_bytes},
#if BENCH_HAS_1_5
    {"put_signal", "put_signal, signal_wait_until", reference_message, clear, put_signal, signalled, bench_ring,
     eight_bytes},
    {"put_signal_beside", "the same, data and signal on one line", reference_line, clear, put_signal_beside, signalled,
     bench_ring, eight_bytes},
#endif
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: fence lets data come after its flag.
// Noticed by: put_fence_p
#ifdef BENCH_FAULT
void shmem_long_put(long* d, const long* s, size_t n, int pe) {
  static long late;
  shmem_long_atomic_set(d, late, pe);
  late = *s;
}
#endif
