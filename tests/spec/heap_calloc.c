// SHMEM_CALLOC gives zeros, also where another block has left its data, and null when the product
// overflows.
#include "check.h"
#include "pattern.h"

int main(void) {
  shmem_init();
  for (int round = 0; round < 20; round++) {
    const size_t bytes = 1000 + 7919 * (size_t)round;
    unsigned char* dirty = shmem_malloc(bytes);
    CHECK(dirty != NULL, "malloc");
    memset(dirty, 0xff, bytes);
    shmem_free(dirty);
    unsigned char* clean = shmem_calloc(bytes / 8, 8);
    CHECK(clean != NULL, "calloc");
    const size_t at = byte_mismatch(clean, bytes / 8 * 8, 0);
    CHECK(at == bytes / 8 * 8, "round %d: byte %zu of calloc is not zero", round, at);
    shmem_free(clean);
  }
  CHECK(shmem_calloc(SIZE_MAX / 2, 4) == NULL, "an impossible size");
  CHECK(shmem_calloc((size_t)1 << 33, (size_t)1 << 33) == NULL, "an overflowing size");
  shmem_finalize();
  return 0;
}
