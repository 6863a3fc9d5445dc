// Without a setting the heap has at least 64 MiB per PE, and uses no memory until it is touched.
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "check.h"

// Bytes of the block that are backed by memory. Memory of network libraries does not count.
static size_t backed(unsigned char* block, size_t bytes) {
  static unsigned char present[((size_t)64 << 20) / 4096 + 1];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)block % page;
  CHECK(mincore(block - before, bytes + before, present) == 0, "mincore");
  size_t pages = 0;
  for (size_t i = 0; i < (bytes + before + page - 1) / page; ++i) pages += present[i] & 1;
  return pages * page;
}

int main(void) {
  shmem_init();
  const size_t bytes = (size_t)64 << 20;
  unsigned char* block = shmem_malloc(bytes);
  CHECK(block != NULL, "64 MiB of the default heap");
  block[0] = block[bytes - 1] = (unsigned char)(shmem_my_pe() + 1);
  shmem_barrier_all();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK(shmem_uchar_g(&block[bytes - 1], right) == right + 1, "the last byte");
  // A card registers, and so backs, the region around the byte that the peer gets: up to a 128th of the slice.
  CHECK(backed(block, bytes) < bytes / 2, "%zu bytes for two touched pages", backed(block, bytes));
  shmem_free(block);
  shmem_finalize();
  return 0;
}
