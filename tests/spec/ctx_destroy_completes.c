// SHMEM_CTX_DESTROY implies quiet; destroying, fencing and quieting an invalid context does
// nothing.
// @since 1.5
#include "pattern.h"
#include "symmetric.h"

enum { bytes = 40000 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* dest = memory_take(kind, bytes);
    unsigned char* source = malloc(bytes);
    shmem_ctx_t ctx;
    pattern_fill(source, bytes, (unsigned)me);
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "no context");
    shmem_ctx_putmem_nbi(ctx, dest, source, bytes, right);
    shmem_ctx_destroy(ctx);
    free(source);
    shmem_sync_all();  // arrival only: it completes no put
    CHECK(pattern_mismatch(dest, bytes, (unsigned)left) == bytes, "destroy did not complete the put");
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
