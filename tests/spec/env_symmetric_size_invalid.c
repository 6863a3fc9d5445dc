// An invalid SHMEM_SYMMETRIC_SIZE is an error: shmem_init_thread returns nonzero, or the program
// ends.
// @run SHMEM_SYMMETRIC_SIZE=lots -> fails /SHMEM_SYMMETRIC_SIZE/ /lots/
// @run SHMEM_SYMMETRIC_SIZE=-1 -> fails /SHMEM_SYMMETRIC_SIZE/ /-1/
// @run SHMEM_SYMMETRIC_SIZE=M12 -> fails /SHMEM_SYMMETRIC_SIZE/ /M12/
#include "check.h"

int main(void) {
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) != 0) return 3;
  shmem_finalize();
  return 0;
}
