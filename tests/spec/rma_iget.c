// SHMEM_IGET: typed and sized, default and own context.
//
// Copies element i from source[i * sst] to dest[i * dst]; elements between stay unchanged.
#include "strided.h"

#define CALLS(NAME, SHORT)                                                                      \
  static void iget_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) {     \
    shmem_##NAME(d, s, h->dst, h->sst, h->nblocks, pe);                                         \
  }                                                                                             \
  static void ctx_iget_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) { \
    shmem_ctx_##NAME(strided_ctx, d, s, h->dst, h->sst, h->nblocks, pe);                        \
  }
#define TYPED_CALLS(NAME, TYPE) CALLS(NAME##_iget, NAME)
#define SIZED(BITS) CALLS(iget##BITS, BITS)
STANDARD_RMA_TYPES(TYPED_CALLS)
SIZED_CALLS(SIZED)

#define ROWS(NAME, SHORT, BYTES) \
  {"shmem_" NAME, BYTES, 0, iget_##SHORT}, {"shmem_ctx_" NAME, BYTES, 0, ctx_iget_##SHORT},
#define TYPED_ROWS(NAME, TYPE) ROWS(#NAME "_iget", NAME, sizeof(TYPE))
#define SIZED_ROWS(BITS) ROWS("iget" #BITS, BITS, BITS / 8)
static const struct strided rows[] = {STANDARD_RMA_TYPES(TYPED_ROWS) SIZED_CALLS(SIZED_ROWS)};

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &strided_ctx) == 0, "no context");
  for (size_t i = 0; i < LENGTH(rows); i++) check_strided(&rows[i], 0);
  shmem_ctx_destroy(strided_ctx);
  shmem_finalize();
  return 0;
}
