// Where a card moves data by itself, a PE that tests a flag calls the provider once in 16 tests, or after 200 us. The
// calls are those that tests/nodes/fabric_null counts for this thread (FABRIC_NULL_CALLS), so their number is exact. A
// wait also serves others: its PE receives a signal that is added, which is a message.
//
// With the argument `by_object`, the job has a card heap. A flag in it needs few calls, and a flag of the CPUs, which
// requests of peers may change, a call for each test.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "null_counts.h"

enum { tests = 1600, many = 16 };
static const double without_network_us = 200;

static null_count* calls;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// The flag is not raised meanwhile. A call is due earlier only if the tests since the last one took 200 us, so that one
// of them was slow. The call itself lies within a test, which may be slow before and after it.
static void count_calls(const char* what, uint64_t* flag, int is_fetch, int tests_for_each_call) {
  const unsigned long before = calls();
  unsigned long slow = 0;
  double began = now_us();
  for (int i = 0; i < tests; i++) {
    if (is_fetch ? shmem_signal_fetch(flag) != 0 : shmem_uint64_test(flag, SHMEM_CMP_NE, 0)) fail("raised flag", 1);
    const double ended = now_us();
    if (ended - began > without_network_us / many) slow++;
    began = ended;
  }
  const unsigned long used = calls() - before;
  printf("%s: %lu calls of the provider in %d tests, of which %lu were slow\n", what, used, tests, slow);
  if (used > (unsigned long)(tests / tests_for_each_call) + 2 * slow) fail("too many calls of the provider", used);
  if (used < (unsigned long)(tests / tests_for_each_call / 2)) fail("too few calls of the provider", used);
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe();
  const int by_object = argc > 1 && strcmp(argv[1], "by_object") == 0;
  uint64_t* flags = shmem_calloc(3, sizeof *flags);
  uint64_t* of_card = shmem_malloc_with_hints(sizeof *of_card, SHMEM_MALLOC_ATOMICS_REMOTE);
  *of_card = 0;
  shmem_sync_all();
  if (me == 0) {
    calls = find_count("fabric_null_calls_of_thread");
    count_calls("test of an object of the card", of_card, 0, many);
    count_calls("signal_fetch", &flags[0], 1, many);
    count_calls("test of another object", &flags[0], 0, by_object ? 1 : many);
    shmem_uint64_p(&flags[1], 1, 1);
    shmem_uint64_wait_until(&flags[0], SHMEM_CMP_EQ, 1);  // a put
    shmem_signal_wait_until(&flags[2], SHMEM_CMP_EQ, 5);  // a signal that is added, by a message to this PE
  } else {
    shmem_uint64_wait_until(&flags[1], SHMEM_CMP_EQ, 1);
    shmem_uint64_p(&flags[0], 1, 0);
    shmem_putmem_signal(&flags[1], &flags[1], sizeof *flags, &flags[2], 5, SHMEM_SIGNAL_ADD, 0);
    shmem_quiet();
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
