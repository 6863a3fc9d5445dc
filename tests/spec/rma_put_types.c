// SHMEM_PUT, typed: all 24 types, default and own context.
//
// Blocking: the source may be reused on return. Only the destination is written.
#include "contiguous.h"

#define CALLS(NAME, TYPE)                                                                               \
  static void put_##NAME(void* d, const void* s, size_t n, int pe) { shmem_##NAME##_put(d, s, n, pe); } \
  static void ctx_put_##NAME(void* d, const void* s, size_t n, int pe) {                                \
    shmem_ctx_##NAME##_put(test_ctx, d, s, n, pe);                                                      \
  }
STANDARD_RMA_TYPES(CALLS)

#define ROWS(NAME, TYPE)                                                \
  {"shmem_" #NAME "_put", sizeof(TYPE), VALUE_BYTES(TYPE), put_##NAME}, \
      {"shmem_ctx_" #NAME "_put", sizeof(TYPE), VALUE_BYTES(TYPE), ctx_put_##NAME},
static const struct transfer rows[] = {STANDARD_RMA_TYPES(ROWS)};

int main(void) {
  shmem_init();
  create_test_ctx();
  for (size_t i = 0; i < LENGTH(rows); i++) check_put(&rows[i], BLOCKING);
  shmem_ctx_destroy(test_ctx);
  shmem_finalize();
  return 0;
}
