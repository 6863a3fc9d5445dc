// Equal calls give corresponding objects on all PEs: a get of block n from PE i gives the data that PE i has stored in
// its block n. The calls are a long random sequence of malloc, free, realloc and align, the same on all PEs.
#include "check.h"
#include "pattern.h"

enum { slots = 40, steps = 600, most = 9000 };
static unsigned state = 12345;  // the same on every PE, so that all make the same calls
static unsigned next_random(unsigned below) {
  state = state * 1103515245u + 12345u;
  return (state >> 8) % below;
}

struct block {
  unsigned char* at;
  size_t size;
  unsigned seed;
};
static struct block blocks[slots];

static void check_block(const struct block* b, int pe) {
  static unsigned char copy[most];
  shmem_getmem(copy, b->at, b->size, pe);
  const size_t at = pattern_mismatch(copy, b->size, b->seed + (unsigned)pe);
  CHECK(at == b->size, "block of %zu bytes on PE %d: byte %zu", b->size, pe, at);
}

static void renew(struct block* b, unsigned step) {
  const size_t size = 1 + next_random(most);
  switch (b->at ? next_random(2) : 2 + next_random(2)) {
    case 0:
      shmem_free(b->at);
      b->at = NULL;
      return;
    case 1: b->at = shmem_realloc(b->at, size); break;
    case 2: b->at = shmem_malloc(size); break;
    default: b->at = shmem_align((size_t)16 << next_random(6), size); break;
  }
  CHECK(b->at != NULL, "step %u: %zu bytes", step, size);
  b->size = size;
  b->seed = step * 64;
  pattern_fill(b->at, size, b->seed + (unsigned)shmem_my_pe());
}

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (unsigned step = 1; step <= steps; step++) {
    renew(&blocks[next_random(slots)], step);
    if (step % 50) continue;
    shmem_barrier_all();
    for (int i = 0; i < slots; i++)
      if (blocks[i].at) check_block(&blocks[i], right);
    shmem_barrier_all();
  }
  for (int i = 0; i < slots; i++) shmem_free(blocks[i].at);
  shmem_finalize();
  return 0;
}
