// A program that waits by tests and sched_yield sleeps after a while, although another process has the CPU during each
// yield. A PE that only yields would get the CPU back late, when that process has used up its time slice. The test
// counts sleeps; it proves nothing where every PE has a CPU of its own.
// @run pes=5
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { attempts = 5, enough = 2, tests = 40 };

static long flag, tested;

static long sleeps(void) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

// Returns whether there are more PEs than CPUs.
static int share_one_cpu(int n) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 0;
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &all)) cpu++;
  CPU_SET(cpu, &one);
  return CPU_COUNT(&all) < n && sched_setaffinity(0, sizeof one, &one) == 0;
}

static pid_t start_busy_process(void) {
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent) continue;
  _exit(0);
}

// PE 0 goes on after a number of tests, because on a busy machine each takes long.
static long sleeps_while_testing(long round) {
  const long before = sleeps();
  for (int i = 1; !shmem_long_test(&flag, SHMEM_CMP_GE, round); i++) {
    if (i == tests) shmem_long_p(&tested, round, 0);
    sched_yield();
  }
  return sleeps() - before;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), crowded = share_one_cpu(shmem_n_pes());
  const pid_t busy = me == 0 ? start_busy_process() : 0;
  long most = 0;
  for (long round = 1; round <= attempts && crowded; round++) {
    shmem_barrier_all();
    if (me == 0) {
      usleep(100000);
      shmem_long_wait_until(&tested, SHMEM_CMP_GE, round);
      shmem_long_p(&flag, round, 1);
    }
    if (me != 1) continue;
    const long slept = sleeps_while_testing(round);
    if (slept > most) most = slept;
  }
  if (me == 1 && crowded) CHECK(most >= enough, "%ld sleeps", most);
  if (me == 0) kill(busy, SIGKILL);
  if (me == 0) waitpid(busy, NULL, 0);
  shmem_finalize();
  return 0;
}
