// SHMEM_PCONTROL returns at once for any level, with further arguments or none, and changes
// nothing.
// @since 1.5
#include "check.h"

int main(void) {
  static int inbox;
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_pcontrol(0);
  shmem_pcontrol(1);
  shmem_pcontrol(2);
  shmem_pcontrol(-3);
  shmem_pcontrol(77, "a tool's word", 4.5, (void*)&inbox);
  shmem_int_p(&inbox, 6, right);
  shmem_barrier_all();
  CHECK(inbox == 6, "inbox %d", inbox);
  shmem_finalize();
  return 0;
}
