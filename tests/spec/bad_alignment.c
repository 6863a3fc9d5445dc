// Alignments that are not a power of two from 1 to 2 MiB: all PEs get NULL and one line is printed. The job continues.
// @extension
// @run pes=1,3 0 -> ok /PE 0: shmem_align: alignment = 0 refused: expected a power of two from 1 to 2097152/
//
// @run pes=3 24 -> ok /PE 0: shmem_align: alignment = 24 refused/
// @run pes=2 4194304 -> ok /PE 0: shmem_align: alignment = 4194304 refused/
#include "check.h"

int main(int argc, char** argv) {
  shmem_init();
  CHECK(argc == 2, "usage: bad_alignment ALIGNMENT");
  CHECK(shmem_align((size_t)atol(argv[1]), 100) == NULL, "alignment %s", argv[1]);
  shmem_free(shmem_malloc(100));
  shmem_finalize();
  return 0;
}
