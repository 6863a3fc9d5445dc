// SHMEM_IBPUT: typed and sized, default and own context.
//
// Block b of bsize elements goes from source[b * sst] to dest[b * dst]; strides are between block
// starts.
// @since 1.6
#include "strided.h"

#define CALLS(NAME, SHORT)                                                                       \
  static void ibput_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) {     \
    shmem_##NAME(d, s, h->dst, h->sst, h->bsize, h->nblocks, pe);                                \
  }                                                                                              \
  static void ctx_ibput_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) { \
    shmem_ctx_##NAME(strided_ctx, d, s, h->dst, h->sst, h->bsize, h->nblocks, pe);               \
  }
#define TYPED_CALLS(NAME, TYPE) CALLS(NAME##_ibput, NAME)
#define SIZED(BITS) CALLS(ibput##BITS, BITS)
STANDARD_RMA_TYPES(TYPED_CALLS)
SIZED_CALLS(SIZED)

#define ROWS(NAME, SHORT, BYTES) \
  {"shmem_" NAME, BYTES, 1, ibput_##SHORT}, {"shmem_ctx_" NAME, BYTES, 1, ctx_ibput_##SHORT},
#define TYPED_ROWS(NAME, TYPE) ROWS(#NAME "_ibput", NAME, sizeof(TYPE))
#define SIZED_ROWS(BITS) ROWS("ibput" #BITS, BITS, BITS / 8)
static const struct strided rows[] = {STANDARD_RMA_TYPES(TYPED_ROWS) SIZED_CALLS(SIZED_ROWS)};

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &strided_ctx) == 0, "no context");
  for (size_t i = 0; i < LENGTH(rows); i++) check_strided(&rows[i], 1);
  shmem_ctx_destroy(strided_ctx);
  shmem_finalize();
  return 0;
}
