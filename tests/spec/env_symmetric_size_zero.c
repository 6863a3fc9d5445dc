// A heap without bytes is legal: allocations return NULL, and static variables work.
// @run SHMEM_SYMMETRIC_SIZE=0
// @run SHMEM_SYMMETRIC_SIZE=0k
#include "check.h"

int main(void) {
  static int inbox;
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK(shmem_malloc((size_t)1 << 24) == NULL, "16 MiB out of nothing");
  shmem_int_p(&inbox, 3, right);
  shmem_barrier_all();
  CHECK(inbox == 3, "inbox %d", inbox);
  shmem_finalize();
  return 0;
}
