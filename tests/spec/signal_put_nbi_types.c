// SHMEM_PUT_SIGNAL_NBI: a PE that has seen the signal finds the data, for every form of the call.
// @since 1.5
#include "signal_rows.h"

#define CALLS(NAME, SHORT)                                                                \
  static void put_##SHORT(PUT_SIGNAL_PARAMETERS) { shmem_##NAME(d, s, n, a, v, op, pe); } \
  static void ctx_put_##SHORT(PUT_SIGNAL_PARAMETERS) { shmem_ctx_##NAME(signal_ctx, d, s, n, a, v, op, pe); }
#define TYPED_CALLS(NAME, TYPE) CALLS(NAME##_put_signal_nbi, NAME)
#define SIZED(BITS) CALLS(put##BITS##_signal_nbi, BITS)
STANDARD_RMA_TYPES(TYPED_CALLS)
SIZED_CALLS(SIZED)
CALLS(putmem_signal_nbi, mem)

#define ROWS(SHORT, BYTES) \
  {"put_signal_nbi " #SHORT, BYTES, put_##SHORT}, {"ctx_put_signal_nbi " #SHORT, BYTES, ctx_put_##SHORT},
#define TYPED_ROWS(NAME, TYPE) ROWS(NAME, sizeof(TYPE))
#define SIZED_ROWS(BITS) ROWS(BITS, BITS / 8)
static const struct put_signal rows[] = {STANDARD_RMA_TYPES(TYPED_ROWS) SIZED_CALLS(SIZED_ROWS) ROWS(mem, 1)};

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &signal_ctx) == 0, "no context");
  check_put_signal(rows, LENGTH(rows));
  shmem_ctx_destroy(signal_ctx);
  shmem_finalize();
  return 0;
}
