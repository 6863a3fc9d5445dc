// Non-blocking strided puts and gets, typed and sized, default and own context, under the names of the draft.
//
// They have the effect of the blocking ones at the next quiet of their context.
// @extension
#include <oshen/drafts.h>

#include "strided.h"

#define ITEMS(NAME, SHORT)                                                                    \
  static void on_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) {     \
    shmem_##NAME(d, s, h->dst, h->sst, h->nblocks, pe);                                       \
  }                                                                                           \
  static void ctx_on_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) { \
    shmem_ctx_##NAME(strided_ctx, d, s, h->dst, h->sst, h->nblocks, pe);                      \
  }
#define BLOCKS(NAME, SHORT)                                                                   \
  static void on_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) {     \
    shmem_##NAME(d, s, h->dst, h->sst, h->bsize, h->nblocks, pe);                             \
  }                                                                                           \
  static void ctx_on_##SHORT(void* d, const void* s, const struct strided_shape* h, int pe) { \
    shmem_ctx_##NAME(strided_ctx, d, s, h->dst, h->sst, h->bsize, h->nblocks, pe);            \
  }
#define TYPED_CALLS(NAME, TYPE)       \
  ITEMS(NAME##_iput_nbi, iput_##NAME) \
  ITEMS(NAME##_iget_nbi, iget_##NAME) BLOCKS(NAME##_ibput_nbi, ibput_##NAME) BLOCKS(NAME##_ibget_nbi, ibget_##NAME)
#define CALLS_OF_SIZE(BITS)            \
  ITEMS(iput##BITS##_nbi, iput_##BITS) \
  ITEMS(iget##BITS##_nbi, iget_##BITS) BLOCKS(ibput##BITS##_nbi, ibput_##BITS) BLOCKS(ibget##BITS##_nbi, ibget_##BITS)
STANDARD_RMA_TYPES(TYPED_CALLS)
SIZED_CALLS(CALLS_OF_SIZE)

#define ROWS(CALL, SHORT, BYTES, HAS_BLOCKS)                  \
  {#CALL " " #SHORT, BYTES, HAS_BLOCKS, on_##CALL##_##SHORT}, \
      {"ctx " #CALL " " #SHORT, BYTES, HAS_BLOCKS, ctx_on_##CALL##_##SHORT},
#define PUT_ROWS(NAME, TYPE) ROWS(iput, NAME, sizeof(TYPE), 0) ROWS(ibput, NAME, sizeof(TYPE), 1)
#define GET_ROWS(NAME, TYPE) ROWS(iget, NAME, sizeof(TYPE), 0) ROWS(ibget, NAME, sizeof(TYPE), 1)
#define SIZED_PUTS(BITS) ROWS(iput, BITS, BITS / 8, 0) ROWS(ibput, BITS, BITS / 8, 1)
#define SIZED_GETS(BITS) ROWS(iget, BITS, BITS / 8, 0) ROWS(ibget, BITS, BITS / 8, 1)
static const struct strided all_puts[] = {STANDARD_RMA_TYPES(PUT_ROWS) SIZED_CALLS(SIZED_PUTS)};
static const struct strided all_gets[] = {STANDARD_RMA_TYPES(GET_ROWS) SIZED_CALLS(SIZED_GETS)};

/* The generic names select by the type, with and without a context. */
static void check_generics(void) {
  static double shared[4];
  static const double one[2] = {1, 2};
  double back[2] = {0, 0};
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_iput_nbi(shared, one, 2, 1, 2, next);
  shmem_ibput_nbi(strided_ctx, shared + 1, one + 1, 2, 1, 1, 1, next);
  shmem_ctx_quiet(strided_ctx);
  shmem_barrier_all();
  CHECK(shared[0] == 1.0 && shared[2] == 2.0 && shared[1] == 2.0, "generic puts");
  shmem_ibget_nbi(back, shared, 1, 2, 1, 2, next);
  shmem_quiet();
  CHECK(back[0] == 1.0 && back[1] == 2.0, "generic ibget");
  shmem_iget_nbi(strided_ctx, back, shared + 1, 1, 1, 1, next);
  shmem_ctx_quiet(strided_ctx);
  CHECK(back[0] == 2.0, "generic iget");
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &strided_ctx) == 0, "no context");
  strided_late = 1;
  strided_sparse = 13;
  for (size_t i = 0; i < LENGTH(all_puts); i++) check_strided(&all_puts[i], 1);
  for (size_t i = 0; i < LENGTH(all_gets); i++) check_strided(&all_gets[i], 0);
  check_generics();
  shmem_ctx_destroy(strided_ctx);
  shmem_finalize();
  return 0;
}
