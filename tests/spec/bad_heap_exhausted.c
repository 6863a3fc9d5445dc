// A full heap does not end the job: the call returns NULL, and one line gives the requested and the available bytes.
// @extension
// @run pes=1,3 SHMEM_SYMMETRIC_SIZE=4M -> ok /shmem_malloc.*1073741824/ /still alive/
#include "check.h"

int main(void) {
  shmem_init();
  CHECK(shmem_malloc((size_t)1 << 30) == NULL, "1 GiB out of 4 MiB");
  shmem_barrier_all();
  printf("still alive\n");
  shmem_finalize();
  return 0;
}
