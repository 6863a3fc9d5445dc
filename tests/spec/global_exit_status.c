// SHMEM_GLOBAL_EXIT from any one PE ends all of them, waiting ones too, flushes their output, and
// its status reaches the shell.
// @run first 0 -> status=0 /flushed/
// @run first 1 -> status=1 /flushed/
// @run last 42 -> status=42 /flushed/
// @run all 3 -> status=3 /flushed/
#include "check.h"

int main(int argc, char** argv) {
  static long never;
  shmem_init();
  CHECK(argc == 3, "usage: global_exit_status first|last|all STATUS");
  const int me = shmem_my_pe(), n = shmem_n_pes(), status = atoi(argv[2]);
  const int quits = !strcmp(argv[1], "all") || (!strcmp(argv[1], "first") ? me == 0 : me == n - 1);
  shmem_barrier_all();
  if (quits) {
    printf("flushed");  // without a newline, so that only a flush of stdio prints it
    shmem_global_exit(status);
  }
  if (me % 2)
    shmem_barrier_all();  // never completes
  else
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
  return 99;
}
