/* Symmetric memory after it was freed. The block that is allocated again at its place may be used. */
#include <shmem.h>
int main(void) {
  shmem_init();
  shmem_ctx_t ctx;
  shmem_ctx_create(0, &ctx);
  const int other = 1 - shmem_my_pe();
  volatile long* block = shmem_malloc(8 * sizeof *block);
  if (shmem_my_pe() == 0) shmem_ctx_long_p(ctx, (long*)block + 5, 1, other);
#ifndef LATE
  shmem_ctx_quiet(ctx);
#endif
  shmem_free((void*)block);
  if (shmem_my_pe() == 0) {
#ifdef STORE
    block[1] = 1;
#elif defined(GET)
    shmem_long_g((long*)block + 7, other);
#endif
  }
  long* again = shmem_malloc(4 * sizeof *again);
  again[0] = 1;
#ifdef MOVED
  block[4] = 1; /* behind the new block */
#elif defined(INSIDE)
  shmem_free(again + 1);
#endif
  again = shmem_realloc(again, 16 * sizeof *again);
  again[15] = again[0];
  shmem_long_p(again + 1, 1, other);
  shmem_free(again);
  shmem_finalize();
  return 0;
}
