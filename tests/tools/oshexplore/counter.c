#include <assert.h>
#include <shmem.h>
static long c;
int main(void) {
  shmem_init();
  int me = shmem_my_pe();
#ifdef ATOMIC
  shmem_long_atomic_inc(&c, 0);
#else
  long v = shmem_long_g(&c, 0);
  shmem_long_p(&c, v + 1, 0);
#endif
  shmem_barrier_all();
  if (me == 0) assert(c == shmem_n_pes());
  shmem_finalize();
  return 0;
}
