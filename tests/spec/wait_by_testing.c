// Programs that wait by testing yield the CPU if there are more PEs than CPUs: a token goes round all PEs of one CPU. A
// PE that does not yield spends a time slice, some milliseconds, for each hop. The test counts CPU time, because that
// does not depend on other load.
// @run pes=4,5
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum { rounds = 100 };
// Limit of the CPU time for a hop. Between nodes each test of a lock is a request to another PE, and all waiting PEs
// send requests. Doubles of libfabric but `tcp` refuse calls and hold operations back, so a hop takes several times as
// many calls.
static const double one_message = 300e-6, far_tests = 1000e-6, in_double = 4;

static int flag;
static uint64_t signal_word;
static long lock, turn;
static double spent[64];  // seconds of CPU, on PE 0
static int missed, all_missed;

static double cpu_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void share_one_cpu(void) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &all)) cpu++;
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void by_wait(int round) { shmem_int_wait_until(&flag, SHMEM_CMP_GE, round); }
static void by_test(int round) {
  while (!shmem_int_test(&flag, SHMEM_CMP_GE, round)) {
  }
}
// While a test gives way, the awaited PE may write; then the test succeeds, and the program yields no second time.
static void by_test_and_yield(int round) {
  while (!shmem_int_test(&flag, SHMEM_CMP_GE, round)) {
    missed += __atomic_load_n(&flag, __ATOMIC_ACQUIRE) >= round;
    sched_yield();
  }
}
static void by_test_some(int round) {
  size_t index;
  while (shmem_int_test_some(&flag, 1, &index, NULL, SHMEM_CMP_GE, round) == 0) {
  }
}
static void by_test_any(int round) {
  while (shmem_int_test_any(&flag, 1, NULL, SHMEM_CMP_GE, round) == SIZE_MAX) {
  }
}
static void by_test_all(int round) {
  const int wanted = round;
  while (!shmem_int_test_all_vector(&flag, 1, NULL, SHMEM_CMP_GE, &wanted)) {
  }
}
static void by_signal_fetch(int round) {
  while (shmem_signal_fetch(&signal_word) < (uint64_t)round) {
  }
}
static void by_atomic_fetch(int round) {
  while (shmem_int_atomic_fetch(&flag, shmem_my_pe()) < round) {
  }
}

static void pass(int round) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_uint64_atomic_set(&signal_word, (uint64_t)round, next);
  shmem_int_atomic_set(&flag, round, next);
}

static void send_round(void (*wait)(int)) {
  for (int round = 1; round <= rounds; round++) {
    if (shmem_my_pe() == 0) pass(round);
    wait(round);
    if (shmem_my_pe() != 0) pass(round);
  }
}

// A PE that tests the lock when it is free gets it; every PE takes it equally often.
static void by_test_lock(int round) {
  (void)round;
  while (shmem_test_lock(&lock)) {
  }
  turn = shmem_long_g(&turn, 0) + 1;
  shmem_long_p(&turn, turn, 0);
  shmem_clear_lock(&lock);
}
static void take_turns(void (*wait)(int)) {
  for (int round = 1; round <= rounds; round++) wait(round);
}

static void run(const char* name, void (*play)(void (*)(int)), void (*wait)(int), double most) {
  const int n = shmem_n_pes();
  shmem_barrier_all();
  const double before = cpu_seconds();
  play(wait);
  shmem_double_p(&spent[shmem_my_pe()], cpu_seconds() - before, 0);
  shmem_barrier_all();
  double all = 0;
  for (int pe = 0; pe < n; pe++) all += spent[pe];
  const double hop = all / (rounds * n);
  const char* fabric = getenv("FABRIC_ROW");
  if (fabric != NULL && strcmp(fabric, "tcp") != 0) most *= in_double;
  if (shmem_my_pe() == 0) CHECK(hop < most, "%s: %.0f us of CPU for a hop", name, 1e6 * hop);
  shmem_barrier_all();
  flag = 0;
  signal_word = 0;
  shmem_barrier_all();
}

int main(void) {
  share_one_cpu();
  shmem_init();
  run("wait_until", send_round, by_wait, one_message);
  run("test", send_round, by_test, one_message);
  run("test and sched_yield", send_round, by_test_and_yield, one_message);
  shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &all_missed, &missed, 1);
  CHECK(all_missed < rounds / 4, "%d of %d writes missed", all_missed, rounds * shmem_n_pes());
  run("test_some", send_round, by_test_some, one_message);
  run("test_any", send_round, by_test_any, one_message);
  run("test_all_vector", send_round, by_test_all, one_message);
  run("signal_fetch", send_round, by_signal_fetch, one_message);
  run("atomic_fetch", send_round, by_atomic_fetch, one_message);
  run("test_lock", take_turns, by_test_lock, far_tests);
  shmem_finalize();
  return 0;
}
