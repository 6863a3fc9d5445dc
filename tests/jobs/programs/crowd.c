/* More PEs than CPUs.
 *   crowd meet <rounds>      barriers and exchanges
 *   crowd sleep <seconds>    PE 0 sleeps, the others wait for it; PE 0 prints the CPU time of all waits */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double used, total;

static double cpu_seconds(void) {
  struct rusage spent;
  getrusage(RUSAGE_SELF, &spent);
  return (double)(spent.ru_utime.tv_sec + spent.ru_stime.tv_sec) +
         1e-6 * (double)(spent.ru_utime.tv_usec + spent.ru_stime.tv_usec);
}

static int meet(int rounds) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  int* from = shmem_malloc((size_t)n * sizeof *from);
  int* to = shmem_malloc((size_t)n * sizeof *to);
  for (int round = 0; round < rounds; round++) {
    for (int pe = 0; pe < n; pe++) from[pe] = me * 1000 + pe + round;
    shmem_barrier_all();
    shmem_int_alltoall(SHMEM_TEAM_WORLD, to, from, 1);
    for (int pe = 0; pe < n; pe++)
      if (to[pe] != pe * 1000 + me + round) return 1;
  }
  shmem_free(to);
  shmem_free(from);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  shmem_init();
  if (!strcmp(argv[1], "meet") && meet(atoi(argv[2])) != 0) shmem_global_exit(1);
  shmem_barrier_all();
  const double before = cpu_seconds();
  if (!strcmp(argv[1], "sleep") && shmem_my_pe() == 0) sleep((unsigned)atoi(argv[2]));
  shmem_barrier_all();
  used = cpu_seconds() - before;
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &total, &used, 1);
  if (shmem_my_pe() == 0) printf("%.3f CPU seconds\n", total);
  shmem_finalize();
  return 0;
}
