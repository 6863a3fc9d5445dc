// SHMEM_REALLOC keeps the data up to the smaller size, growing and shrinking, in place and moving,
// and the block stays symmetric.
#include <unistd.h>

#include "check.h"
#include "pattern.h"

static const size_t sizes[] = {1, 100, 50, 4096, 4097, 100000, 65536, 1 << 20, 10000, 3 << 20, 10, 2000, 2100};

static void check_symmetric(const unsigned char* block, size_t size) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  unsigned char* copy = malloc(size);
  shmem_barrier_all();
  shmem_getmem(copy, block, size, right);
  CHECK(pattern_mismatch(copy, size, (unsigned)right) == size, "%zu bytes: not symmetric", size);
  free(copy);
  shmem_barrier_all();
}

// `obstacles`: each time another block is placed behind this one, so that it cannot grow in place.
static void check_sizes(int obstacles) {
  const unsigned me = (unsigned)shmem_my_pe();
  void* behind[LENGTH(sizes)] = {NULL};
  size_t size = 64;
  unsigned char* block = shmem_malloc(size);
  pattern_fill(block, size, me);
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    const size_t kept = sizes[i] < size ? sizes[i] : size;
    if (obstacles) behind[i] = shmem_malloc(64);
    block = shmem_realloc(block, sizes[i]);
    CHECK(block != NULL, "realloc to %zu", sizes[i]);
    const size_t at = pattern_mismatch(block, kept, me);
    CHECK(at == kept, "realloc from %zu to %zu lost byte %zu", size, sizes[i], at);
    size = sizes[i];
    pattern_fill(block, size, me);
    check_symmetric(block, size);
  }
  for (size_t i = 0; i < LENGTH(sizes); i++) shmem_free(behind[i]);
  shmem_free(block);
}

// A late put into the old block, whose owner is already in realloc, is not lost.
static void check_late_put(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  enum { count = 1000 };
  for (int round = 0; round < 5; round++) {
    long* block = shmem_malloc(count * sizeof(long));
    void* obstacle = shmem_malloc(64);
    for (int i = 0; i < count; i++) block[i] = -1;
    shmem_barrier_all();
    if (me == n - 1) {
      usleep(20000);
      for (int i = 0; i < count; i++) shmem_long_p(&block[i], i, 0);
    }
    block = shmem_realloc(block, 10 * count * sizeof(long));
    for (int i = 0; i < count && me == 0; i++) CHECK(block[i] == i, "lost: element %d", i);
    shmem_free(obstacle);
    shmem_free(block);
  }
}

int main(void) {
  shmem_init();
  check_late_put();
  check_sizes(0);
  check_sizes(1);
  shmem_finalize();
  return 0;
}
