/* Times of a crowd: start-up, the first barrier, the mean of ten more, and the first sum. PE 0 prints its own times.
 * For docs/design/scale.md; nothing is asserted about them. */
#include <shmem.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  enum { barriers = 10 };
  const double start = now();
  shmem_init();
  const double begun = now();
  shmem_barrier_all();
  const double met = now();
  for (int i = 0; i < barriers; i++) shmem_barrier_all();
  const double met_again = now();
  long* const both = shmem_malloc(2 * sizeof *both);
  if (both == NULL) shmem_global_exit(1);
  both[0] = 1;
  const double before = now();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &both[1], &both[0], 1);
  const double after = now();
  const int n = shmem_n_pes();
  if (both[1] != n) {
    fprintf(stderr, "first_calls: PE %d: a sum of %d ones is %ld\n", shmem_my_pe(), n, both[1]);
    shmem_global_exit(1);
  }
  if (shmem_my_pe() == 0)
    printf("%d PEs: shmem_init %.3g s, first barrier %.3g s, barrier %.3g s, first sum %.3g s\n", n, begun - start,
           met - begun, (met_again - met) / barriers, after - before);
  shmem_free(both);
  shmem_finalize();
  return 0;
}
