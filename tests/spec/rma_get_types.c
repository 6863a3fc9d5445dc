// SHMEM_GET, typed: all 24 types, default and own context.
//
// Blocking: the data is available on return, without a quiet.
#include "contiguous.h"

#define CALLS(NAME, TYPE)                                                                               \
  static void get_##NAME(void* d, const void* s, size_t n, int pe) { shmem_##NAME##_get(d, s, n, pe); } \
  static void ctx_get_##NAME(void* d, const void* s, size_t n, int pe) {                                \
    shmem_ctx_##NAME##_get(test_ctx, d, s, n, pe);                                                      \
  }
STANDARD_RMA_TYPES(CALLS)

#define ROWS(NAME, TYPE)                                                \
  {"shmem_" #NAME "_get", sizeof(TYPE), VALUE_BYTES(TYPE), get_##NAME}, \
      {"shmem_ctx_" #NAME "_get", sizeof(TYPE), VALUE_BYTES(TYPE), ctx_get_##NAME},
static const struct transfer rows[] = {STANDARD_RMA_TYPES(ROWS)};

int main(void) {
  shmem_init();
  create_test_ctx();
  for (size_t i = 0; i < LENGTH(rows); i++) check_get(&rows[i], BLOCKING);
  shmem_ctx_destroy(test_ctx);
  shmem_finalize();
  return 0;
}
