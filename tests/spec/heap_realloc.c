// SHMEM_REALLOC keeps the data up to the smaller size, growing and shrinking, and stays symmetric.
#include "check.h"
#include "pattern.h"

static const size_t sizes[] = {1, 100, 50, 4096, 4097, 100000, 65536, 1 << 20, 10, 3 << 20};

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  size_t size = 64;
  unsigned char* block = shmem_malloc(size);
  unsigned char* fence = shmem_malloc(64);  // so that growing in place is not always possible
  pattern_fill(block, size, (unsigned)me);
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    const size_t kept = sizes[i] < size ? sizes[i] : size;
    block = shmem_realloc(block, sizes[i]);
    CHECK(block != NULL, "realloc to %zu", sizes[i]);
    size_t at = pattern_mismatch(block, kept, (unsigned)me);
    CHECK(at == kept, "realloc from %zu to %zu lost byte %zu", size, sizes[i], at);
    size = sizes[i];
    pattern_fill(block, size, (unsigned)me);
    shmem_barrier_all();
    unsigned char* copy = malloc(size);
    shmem_getmem(copy, block, size, right);
    CHECK(pattern_mismatch(copy, size, (unsigned)right) == size, "not symmetric after %zu",
          sizes[i]);
    free(copy);
    shmem_barrier_all();
  }
  shmem_free(fence);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
