// shmem_{put,get}{8,16,32,64,128,mem}, blocking and nonblocking, default and own context.
//
// SIZE is the width of an element in bits; mem counts bytes.
#include "contiguous.h"

#define CALL(NAME, ...) \
  static void NAME(void* d, const void* s, size_t n, int pe) { __VA_ARGS__(d, s, n, pe); }
#define CTX_CALL(NAME, ...) \
  static void NAME(void* d, const void* s, size_t n, int pe) { __VA_ARGS__(test_ctx, d, s, n, pe); }

#define CALLS(SIZE)                                       \
  CALL(put_##SIZE, shmem_put##SIZE)                       \
  CALL(get_##SIZE, shmem_get##SIZE)                       \
  CALL(put_nbi_##SIZE, shmem_put##SIZE##_nbi)             \
  CALL(get_nbi_##SIZE, shmem_get##SIZE##_nbi)             \
  CTX_CALL(ctx_put_##SIZE, shmem_ctx_put##SIZE)           \
  CTX_CALL(ctx_get_##SIZE, shmem_ctx_get##SIZE)           \
  CTX_CALL(ctx_put_nbi_##SIZE, shmem_ctx_put##SIZE##_nbi) \
  CTX_CALL(ctx_get_nbi_##SIZE, shmem_ctx_get##SIZE##_nbi)
SIZED_CALLS(CALLS)
CALLS(mem)

#define ROW(OP, SIZE, BYTES) {#OP " " #SIZE, BYTES, BYTES, OP##_##SIZE},
#define SIZED_ROWS(OP) {ROW(OP, 8, 1) ROW(OP, 16, 2) ROW(OP, 32, 4) ROW(OP, 64, 8) ROW(OP, 128, 16) ROW(OP, mem, 1)}
static const struct transfer put_rows[] = SIZED_ROWS(put);
static const struct transfer ctx_put_rows[] = SIZED_ROWS(ctx_put);
static const struct transfer put_nbi_rows[] = SIZED_ROWS(put_nbi);
static const struct transfer ctx_put_nbi_rows[] = SIZED_ROWS(ctx_put_nbi);
static const struct transfer get_rows[] = SIZED_ROWS(get);
static const struct transfer ctx_get_rows[] = SIZED_ROWS(ctx_get);
static const struct transfer get_nbi_rows[] = SIZED_ROWS(get_nbi);
static const struct transfer ctx_get_nbi_rows[] = SIZED_ROWS(ctx_get_nbi);

int main(void) {
  shmem_init();
  create_test_ctx();
  for (size_t i = 0; i < LENGTH(put_rows); i++) {
    check_put(&put_rows[i], BLOCKING);
    check_put(&ctx_put_rows[i], BLOCKING);
    check_put(&put_nbi_rows[i], NONBLOCKING);
    check_put(&ctx_put_nbi_rows[i], NONBLOCKING);
    check_get(&get_rows[i], BLOCKING);
    check_get(&ctx_get_rows[i], BLOCKING);
    check_get(&get_nbi_rows[i], NONBLOCKING);
    check_get(&ctx_get_nbi_rows[i], NONBLOCKING);
  }
  shmem_ctx_destroy(test_ctx);
  shmem_finalize();
  return 0;
}
