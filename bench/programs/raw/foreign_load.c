/* Steps of work and two barriers each, on a machine with other load. The work is a number of loops, calibrated in CPU
 * time. Prints the mean of the steps, in us.
 *
 *   oshrun -n 2 [--bind none] bench-foreign-load WORK_US SECONDS
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void work(long loops) {
  for (volatile long i = 0; i < loops; i++) continue;
}

/* Loops in a microsecond of CPU time, whatever share of the CPU this process gets. */
static double loops_per_us(void) {
  const long loops = 5000000;
  const double before = seconds(CLOCK_THREAD_CPUTIME_ID);
  work(loops);
  return (double)loops / ((seconds(CLOCK_THREAD_CPUTIME_ID) - before) * 1e6);
}

static long over, arrived;

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: oshrun -n 2 bench-foreign-load WORK_US SECONDS\n");
    return 2;
  }
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const long loops = (long)(atof(argv[1]) * loops_per_us());
  const double limit = atof(argv[2]);
  shmem_barrier_all();
  const double began = seconds(CLOCK_MONOTONIC);
  long steps = 0, last = 0;
  while (!last) {
    work(loops);
    shmem_long_atomic_inc(&arrived, (me + 1) % n);
    if (me == 0 && seconds(CLOCK_MONOTONIC) - began > limit)
      for (int pe = 0; pe < n; pe++) shmem_long_p(&over, 1, pe);
    shmem_barrier_all();
    last = over;
    if (arrived != ++steps) {
      fprintf(stderr, "foreign_load: PE %d: a barrier let a PE pass\n", me);
      shmem_global_exit(1);
    }
    shmem_barrier_all();
  }
  const double step = (seconds(CLOCK_MONOTONIC) - began) / (double)steps * 1e6;
  if (me == 0) printf("%.3f\n", step);
  shmem_finalize();
  return 0;
}
