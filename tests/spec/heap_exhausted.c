// A full heap gives NULL on all PEs, and the job continues: old blocks, later frees and new blocks work.
// @run SHMEM_SYMMETRIC_SIZE=8M
// @run SMA_SYMMETRIC_SIZE=8M
#include "check.h"
#include "pattern.h"

enum { chunk = 1 << 20, heap_mib = 8 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  unsigned char* blocks[2 * heap_mib];
  int count = 0;
  while (count < 2 * heap_mib) {
    blocks[count] = shmem_malloc(chunk);
    if (!blocks[count]) break;
    pattern_fill(blocks[count], chunk, (unsigned)(me + 100 * count));
    count++;
  }
  CHECK(count >= heap_mib / 2 && count < 2 * heap_mib, "%d MiB in a heap of %d", count, heap_mib);
  CHECK(shmem_malloc((size_t)1 << 45) == NULL, "32 TiB");
  CHECK(shmem_align(4096, (size_t)2 * heap_mib * chunk) == NULL, "aligned");
  CHECK(shmem_realloc(blocks[0], (size_t)2 * heap_mib * chunk) == NULL, "realloc");
  shmem_barrier_all();
  unsigned char* copy = malloc(chunk);
  for (int i = 0; i < count; i++) {
    shmem_getmem(copy, blocks[i], chunk, right);
    CHECK(pattern_mismatch(copy, chunk, (unsigned)(right + 100 * i)) == chunk, "block %d is damaged", i);
  }
  free(copy);
  shmem_barrier_all();
  shmem_free(blocks[1]);
  blocks[1] = shmem_malloc(chunk);
  CHECK(blocks[1] != NULL, "what was freed cannot be had again");
  while (count > 0) shmem_free(blocks[--count]);
  unsigned char* large = shmem_malloc((size_t)(heap_mib - 2) * chunk);
  CHECK(large != NULL, "the free blocks have not grown together");
  shmem_free(large);
  shmem_finalize();
  return 0;
}
