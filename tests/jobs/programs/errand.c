/* A small job that checks its results: start, heap, puts, a collective, end. PE 0 prints "right N". */
#include <shmem.h>
#include <stdio.h>

static long sum, mine;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  long* heap = shmem_malloc(sizeof *heap);
  if (heap == NULL) return 3; /* the library has printed the reason */
  shmem_long_p(heap, me, (me + 1) % n);
  mine = me + 1;
  shmem_barrier_all();
  if (*heap != (me + n - 1) % n) return 4;
  if (shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1) != 0 || sum != (long)n * (n + 1) / 2) return 5;
  shmem_free(heap);
  if (me == 0 && (printf("right %d\n", n) < 0 || fflush(stdout) != 0)) return 6;
  shmem_finalize();
  return 0;
}
