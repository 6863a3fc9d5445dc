// SHMEM_VERSION prints the version, SHMEM_INFO explains the variables, SHMEM_DEBUG may print anything. The SMA_ names
// of versions before 1.4 do the same. The program continues in every case.
// @run pes=2 SHMEM_VERSION=1 -> ok /1\.6/
// @run pes=2 SMA_VERSION=1 -> ok /1\.6/
// @run pes=2 SHMEM_INFO=1 -> ok /SHMEM_SYMMETRIC_SIZE/ /SHMEM_DEBUG/ /SHMEM_VERSION/ /SHMEM_INFO/
// @run pes=2 SMA_INFO=1 -> ok /SHMEM_SYMMETRIC_SIZE/
// @run pes=2 SHMEM_DEBUG=1 -> ok
//
// @run pes=2 SMA_DEBUG=1 -> ok
#include "check.h"

int main(void) {
  shmem_init();
  CHECK(shmem_n_pes() == 2, "%d PEs", shmem_n_pes());
  shmem_finalize();
  return 0;
}
