/* Names that C has had since before C11: shmem_swap and waits as functions. */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

static long word = 3, flag;

int main(void) {
  int me, n;
  long old;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  shmem_barrier_all();
  old = shmem_swap(&word, 4, (me + 1) % n);
  shmem_barrier_all();
  shmem_long_p(&flag, 1, (me + 1) % n);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  if (old != 3 || word != 4 || shmemx_wtime() <= 0) shmem_global_exit(2);
#ifdef OSHEN_LEGACY_NAMES
  if (my_pe() != me || num_pes() != n) shmem_global_exit(3);
#endif
  shmem_barrier_all();
  if (me == 0) puts("old: ok");
  shmem_finalize();
  return 0;
}
