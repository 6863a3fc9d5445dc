/* Each PE puts its number into the next one. */
#include <shmem.h>

static long left;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_p(&left, (long)me, (me + 1) % n);
  shmem_barrier_all();
  if (left != (me + n - 1) % n) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
