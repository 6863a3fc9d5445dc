/* The first CPUs of PEs: each PE prints the CPU to which the library moved it at start-up, and the CPUs that it may use
 * afterwards. The program intercepts the library's calls. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int moves, last = -1;

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* set) {
  if (CPU_COUNT_S(bytes, set) == 1) {
    ++moves;
    for (last = 0; !CPU_ISSET_S((size_t)last, bytes, set);) ++last;
  }
  return (int)syscall(SYS_sched_setaffinity, thread, bytes, set);
}

int main(void) {
  shmem_init();
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  const int me = shmem_my_pe();
  for (int pe = 0; pe < shmem_n_pes(); ++pe) {
    if (pe == me) {
      printf("PE %d: %d moves, to %d; may use", me, moves, last);
      for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &set)) printf(" %zu", cpu);
      puts("");
      fflush(stdout);
    }
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
