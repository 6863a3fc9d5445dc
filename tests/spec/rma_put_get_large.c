// Transfers around 64 KiB and above 1 MiB, at odd offsets on both sides: putmem and getmem need no
// alignment.
#include "pattern.h"
#include "symmetric.h"

static const size_t sizes[] = {65535, 65536, 65537, 262143, (1 << 20) - 1, (1 << 20) + 3};
enum { largest = (1 << 20) + 3, slack = 64 };

static void check_ring(unsigned char* block, size_t bytes, size_t to, size_t from) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  unsigned char* local = malloc(bytes + slack);

  pattern_fill(local + from, bytes, (unsigned)me);
  shmem_barrier_all();
  shmem_putmem(block + to, local + from, bytes, right);
  shmem_barrier_all();
  size_t at = pattern_mismatch(block + to, bytes, (unsigned)left);
  CHECK(at == bytes, "putmem of %zu bytes: byte %zu is wrong", bytes, at);

  memset(local, 0, bytes + slack);
  shmem_getmem(local + from, block + to, bytes, right);
  at = pattern_mismatch(local + from, bytes, (unsigned)me);
  CHECK(at == bytes, "getmem of %zu bytes: byte %zu is wrong", bytes, at);
  free(local);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* block = memory_take(kind, largest + slack);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
      check_ring(block, sizes[i], 0, 0);
      check_ring(block, sizes[i], 1, 7);
      check_ring(block, sizes[i], 33, 2);
    }
    memory_give_back(kind, block);
  }
  shmem_finalize();
  return 0;
}
