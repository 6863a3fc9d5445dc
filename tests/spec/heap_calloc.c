// SHMEM_CALLOC gives zeros, also in memory with old data of another block and in memory that was never used. It returns
// null if the product overflows.
#include "check.h"
#include "pattern.h"

static void check_zero(const unsigned char* block, size_t bytes, const char* where) {
  CHECK(block != NULL, "calloc %s", where);
  const size_t at = byte_mismatch(block, bytes, 0);
  CHECK(at == bytes, "%s: byte %zu of calloc is not zero", where, at);
}

// A block that reaches from used memory into unused memory, and one in the place of a block that had grown in place.
static void after_growth(void) {
  unsigned char* dirty = shmem_malloc(1000);
  memset(dirty, 0xff, 1000);
  shmem_free(dirty);
  unsigned char* wide = shmem_calloc(1, 1 << 20);
  check_zero(wide, 1 << 20, "beyond what was used");
  unsigned char* grown = shmem_realloc(shmem_malloc(64), 3 << 20);
  memset(grown, 0xff, 3 << 20);
  shmem_free(grown);
  unsigned char* again = shmem_calloc(3 << 10, 1 << 10);
  check_zero(again, 3 << 20, "where a block had grown");
  shmem_free(again);
  shmem_free(wide);
}

int main(void) {
  shmem_init();
  after_growth();
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
  CHECK(shmem_calloc(SIZE_MAX / 8 + 2, 8) == NULL, "a product that wraps round to 8");
  CHECK(shmem_calloc((size_t)1 << 33, (size_t)1 << 33) == NULL, "an overflowing size");
  shmem_finalize();
  return 0;
}
