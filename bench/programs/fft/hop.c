/* Prints the round-trip time of a cache line between the first two CPUs of this process, in ns: the lower quartile of
 * several. It changes when the host moves the CPUs of a virtual machine to cores that share a last-level cache, or to
 * others. With one CPU it prints nothing. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"

enum { TRIES = 40, ROUND_TRIPS = 500 };

struct lines {
  _Alignas(128) atomic_long there;
  _Alignas(128) atomic_long back;
};

static int cpu_number(const cpu_set_t* may, int which) {
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, may) && which-- == 0) return cpu;
  }
  return -1;
}

static void stay_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void answer(struct lines* between) {
  for (long i = 1; i <= TRIES * ROUND_TRIPS; i++) {
    while (atomic_load(&between->there) < i) {
    }
    atomic_store(&between->back, i);
  }
}

static double ask(struct lines* between, long* asked) {
  const double begin = now_seconds();
  for (int i = 0; i < ROUND_TRIPS; i++) {
    atomic_store(&between->there, ++*asked);
    while (atomic_load(&between->back) < *asked) {
    }
  }
  return (now_seconds() - begin) / ROUND_TRIPS;
}

int main(void) {
  cpu_set_t may;
  if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) < 2) return 0;
  const int anonymous = MAP_SHARED | MAP_ANONYMOUS;
  struct lines* between = mmap(NULL, sizeof *between, PROT_READ | PROT_WRITE, anonymous, -1, 0);
  if (between == MAP_FAILED) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  stay_on(cpu_number(&may, child == 0));
  if (child == 0) {
    answer(between);
    return 0;
  }
  double all[TRIES];
  long asked = 0;
  for (int i = 0; i < TRIES; i++) all[i] = ask(between, &asked);
  waitpid(child, NULL, 0);
  qsort(all, TRIES, sizeof *all, by_value);
  printf("%.0f\n", 1e9 * all[TRIES / 4]);
  return 0;
}
