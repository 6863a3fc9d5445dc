// SHMEM_SYMMETRIC_SIZE is an integer or a floating-point number with a suffix k, m, g or t, in either case, for powers
// of 1024. Text after the suffix is ignored. The heap has at least that many bytes, which the argument gives; one block
// of nearly all bytes must fit.
// @run SHMEM_SYMMETRIC_SIZE=4194304 4194304
// @run SHMEM_SYMMETRIC_SIZE=3.1M 3250586
// @run SHMEM_SYMMETRIC_SIZE=.5m 524288
// @run SHMEM_SYMMETRIC_SIZE=0.5m 524288
// @run SHMEM_SYMMETRIC_SIZE=600kk 614400
// @run SHMEM_SYMMETRIC_SIZE=1e6 1000000
// @run SHMEM_SYMMETRIC_SIZE=0.01G 10737419
// @run pes=1 SHMEM_SYMMETRIC_SIZE=0.001t 1099511628
// @run SMA_SYMMETRIC_SIZE=2M 2097152
// @run SMA_SYMMETRIC_SIZE=1M SHMEM_SYMMETRIC_SIZE=6M 6291456
#include "check.h"

int main(int argc, char** argv) {
  shmem_init();
  CHECK(argc == 2, "usage: env_symmetric_size BYTES");
  const size_t heap = strtoull(argv[1], NULL, 10);
  // The library may use a part of the heap itself: at most 64 KiB, or a hundredth.
  const size_t own = heap / 100 > 65536 ? heap / 100 : 65536;
  unsigned char* block = shmem_malloc(heap - own);
  CHECK(block != NULL, "no %zu bytes in a heap of %zu", heap - own, heap);
  block[heap - own - 1] = 1;
  CHECK(shmem_malloc(2 * heap + ((size_t)1 << 22)) == NULL, "the heap is much larger than %zu", heap);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
