// Alignment: malloc aligns for any object type, align for every power of two from 1 to 64 KiB. Old programs request
// less than the size of a pointer.
#include "check.h"

static int aligned(const void* p, size_t alignment) { return (uintptr_t)p % alignment == 0; }

int main(void) {
  shmem_init();
  void* blocks[40];
  size_t count = 0;
  for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
    void* odd = shmem_malloc(1 + alignment % 7);  // moves the next block away from its natural place
    CHECK(aligned(odd, _Alignof(max_align_t)), "malloc gave %p", odd);
    void* block = shmem_align(alignment, 3 * alignment + 1);
    CHECK(block != NULL && aligned(block, alignment), "align(%zu) gave %p", alignment, block);
    memset(block, 0x5a, 3 * alignment + 1);
    blocks[count++] = odd;
    blocks[count++] = block;
  }
  // The block has the same offset in the heap of every PE, so that a put by address reaches it.
  static int ok = 0;
  for (size_t i = 1; i < count; i += 2) {
    CHECK(shmem_addr_accessible(blocks[i], 0), "block %zu", i);
    ok++;
  }
  CHECK(ok > 0, "nothing was checked");
  while (count > 0) shmem_free(blocks[--count]);
  shmem_finalize();
  return 0;
}
