// SHMEM_PE_QUIET completes the operations on the listed PEs. With an empty list it returns at once and ignores the
// pointer.
// @since 1.6
#include "pattern.h"
#include "symmetric.h"

enum { bytes = 20000 };

static void check_list(unsigned char* dest, const shmem_ctx_t* ctx) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  const int targets[2] = {right, me};
  unsigned char* source = malloc(bytes);
  unsigned char* back = malloc(bytes);
  memset(dest, 0, bytes);
  pattern_fill(source, bytes, (unsigned)me);
  shmem_barrier_all();
  if (ctx) {
    shmem_ctx_putmem_nbi(*ctx, dest, source, bytes, right);
    shmem_ctx_pe_quiet(*ctx, targets, 2);
  } else {
    shmem_putmem_nbi(dest, source, bytes, right);
    shmem_pe_quiet(targets, 2);
  }
  memset(source, 0, bytes);  // the put is complete: the source may be reused, and a get sees the data
  shmem_getmem(back, dest, bytes, right);
  CHECK(pattern_mismatch(back, bytes, (unsigned)me) == bytes, "pe_quiet left the put unfinished");
  free(back);
  free(source);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* dest = memory_take(kind, bytes);
    check_list(dest, NULL);
    check_list(dest, &ctx);
    memory_give_back(kind, dest);
  }
  shmem_pe_quiet(NULL, 0);
  shmem_ctx_pe_quiet(ctx, NULL, 0);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
