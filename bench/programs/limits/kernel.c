#define _GNU_SOURCE
#include "engine.h"

#include <linux/futex.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"

enum { programs = 64 };

static cpu_set_t own_cpus;  // as pinned by the engine

static void run_on(size_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Moves both processes to the CPU of process 0.
static void share_cpu(long size) {
  (void)size;
  if (CPU_COUNT(&own_cpus) == 0) sched_getaffinity(0, sizeof own_cpus, &own_cpus);
  if (bench_me == 0) flag_set(&page->counter, (uint64_t)sched_getcpu());
  page_barrier(NULL);
  run_on(flag_get(&page->counter));
  bench_oversubscribed = true;  // the barrier must yield now
  flag_set(&page->flags[bench_me], 0);
}

static void yield_alone(long first, long count) {
  for (long i = first; i < first + count; ++i) sched_yield();
}

// The processes add to the same counter in turn; the other one yields.
static void yield_turns(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    page_flag* turn = &page->flags[0];
    const uint64_t mine = (uint64_t)(2 * i + bench_me);
    while (flag_get(turn) != mine) sched_yield();
    flag_set(turn, mine + 1);
  }
}

static bool turns_valid(long first, long count) { return flag_get(&page->flags[0]) == (uint64_t)(2 * (first + count)); }

static long futex(page_flag* flag, int operation, uint32_t value) {
  return syscall(SYS_futex, (uint32_t*)(void*)&flag->value, operation, value, NULL, NULL, 0);
}

static void wake_the_other(void) {
  while (futex(&page->flags[1 - bench_me], FUTEX_WAKE, 1) != 1) sched_yield();  // it may not be asleep yet
}

static uint64_t woken;

// Ping-pong of two sleepers. Each surely sleeps before it is woken, because its futex never changes.
static void sleep_turns(long first, long count) {
  woken = 0;
  for (long i = first; i < first + count; ++i) {
    if (bench_me == 0) wake_the_other();
    woken += futex(&page->flags[bench_me], FUTEX_WAIT, 0) == 0;
    if (bench_me == 1) wake_the_other();
  }
}

static bool sleep_valid(long first, long count) {
  (void)first;
  return woken == (uint64_t)count;
}

static void own_cpu(long size) {
  (void)size;
  if (CPU_COUNT(&own_cpus) == 0) sched_getaffinity(0, sizeof own_cpus, &own_cpus);
  sched_setaffinity(0, sizeof own_cpus, &own_cpus);
  bench_oversubscribed = false;
  flag_set(&page->flags[bench_me], 0);
}

static long ended_well;

// 64 of the smallest program at once: the limit for a launcher of 64 processes.
static void start_programs(long first, long count) {
  char* const argv[] = {"/bin/true", NULL};
  cpu_set_t all;
  CPU_ZERO(&all);
  for (size_t cpu = 0; cpu < (size_t)sysconf(_SC_NPROCESSORS_ONLN); ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
  ended_well = 0;
  for (long i = first; i < first + count; ++i) {
    pid_t pids[programs];
    for (int p = 0; p < programs; ++p) {
      pids[p] = fork();
      if (pids[p] == 0) {
        execv(argv[0], argv);
        _exit(127);
      }
    }
    for (int p = 0; p < programs; ++p) {
      int status = -1;
      if (pids[p] > 0) waitpid(pids[p], &status, 0);
      ended_well += status == 0;
    }
  }
  sched_setaffinity(0, sizeof own_cpus, &own_cpus);
}

static bool programs_valid(long first, long count) {
  (void)first;
  return bench_me != 0 || ended_well == count * programs;
}

static bool always_valid(long first, long count) {
  (void)first;
  return count > 0;
}

static const bench_case cases[] = {
    {"yield_alone", "sched_yield, no other process", 0, NULL, yield_alone, always_valid, bench_alone, NULL},
    {"yield_switch", "sched_yield to the other process on this CPU", 0, share_cpu, yield_turns, turns_valid, bench_ring,
     NULL},
    {"futex_same_cpu", "futex wake and wait, both on one CPU", 0, share_cpu, sleep_turns, sleep_valid, bench_ring,
     NULL},
    {"futex_other_cpu", "futex wake and wait, a CPU each", 0, own_cpu, sleep_turns, sleep_valid, bench_ring, NULL},
    {"start_64", "fork, exec and wait for 64 x /bin/true", 0, own_cpu, start_programs, programs_valid, bench_alone,
     NULL},
    {0}};

BENCH_CASES(bench_any_pes, cases)
