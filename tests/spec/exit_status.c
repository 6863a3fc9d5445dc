// The exit status of a program reaches the launcher, also after finalize.
// @run pes=1,2,5 0
// @run pes=1,2,5 7 -> status=7
#include "check.h"

int main(int argc, char** argv) {
  shmem_init();
  CHECK(argc == 2, "usage: exit_status STATUS");
  shmem_finalize();
  return atoi(argv[1]);
}
