// Names of before 1.2: mpp/shmem.h, start_pes, _my_pe, _num_pes, shmalloc, shfree, shrealloc,
// shmemalign.
#include <mpp/shmem.h>
#include "check.h"
#if SPEC_AT_LEAST(1, 6)
#include <mpp/shmemx.h>
#endif

int main(void) {
  start_pes(0);
  const int me = _my_pe(), n = _num_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  CHECK(me == shmem_my_pe() && n == shmem_n_pes(), "I am %d of %d", me, n);
  long* block = shmalloc(10 * sizeof(long));
  long* aligned = shmemalign(4096, sizeof(long));
  CHECK(block && aligned && (uintptr_t)aligned % 4096 == 0, "shmalloc, shmemalign");
  block[0] = 0;
  shmem_barrier_all();
  shmem_long_p(&block[0], me + 1, right);
  shmem_barrier_all();
  block = shrealloc(block, 1000 * sizeof(long));
  CHECK(block && block[0] == left + 1, "shrealloc lost %d", left + 1);
  shmem_barrier_all();
  shmem_long_p(&block[999], me, right);
  shmem_barrier_all();
  CHECK(block[999] == left, "shrealloc's new part");
  shfree(aligned);
  shfree(block);
  return 0;
}
