// C11 generic names of the atomics, blocking and nonblocking, with or without a leading context.
// @since 1.5
#include "symmetric.h"

static shmem_ctx_t ctx;
static int right;

#define CHECK_EXTENDED(NAME, TYPE)                                                                \
  static void check_extended_##NAME(TYPE* cell) {                                                 \
    TYPE fetched[3] = {0};                                                                        \
    shmem_atomic_set(cell, (TYPE)5, right);                                                       \
    shmem_quiet();                                                                                \
    CHECK(shmem_atomic_fetch(cell, right) == (TYPE)5, #NAME " set, fetch");                       \
    shmem_atomic_set(ctx, cell, (TYPE)6, right);                                                  \
    shmem_ctx_quiet(ctx);                                                                         \
    CHECK(shmem_atomic_fetch(ctx, (const TYPE*)cell, right) == (TYPE)6, #NAME " set, fetch");     \
    CHECK(shmem_atomic_swap(cell, (TYPE)7, right) == (TYPE)6, #NAME " swap");                     \
    CHECK(shmem_atomic_swap(ctx, cell, (TYPE)8, right) == (TYPE)7, #NAME " swap");                \
    shmem_atomic_fetch_nbi(&fetched[0], cell, right);                                             \
    shmem_quiet();                                                                                \
    shmem_atomic_swap_nbi(ctx, &fetched[1], cell, (TYPE)9, right);                                \
    shmem_ctx_quiet(ctx);                                                                         \
    shmem_atomic_fetch_nbi(ctx, &fetched[2], cell, right);                                        \
    shmem_ctx_quiet(ctx);                                                                         \
    CHECK(fetched[0] == (TYPE)8 && fetched[1] == (TYPE)8 && fetched[2] == (TYPE)9, #NAME " nbi"); \
    shmem_atomic_swap_nbi(&fetched[0], cell, (TYPE)0, right);                                     \
    shmem_quiet();                                                                                \
    CHECK(fetched[0] == (TYPE)9, #NAME " swap_nbi");                                              \
    shmem_barrier_all();                                                                          \
  }

#define CHECK_STANDARD(NAME, TYPE)                                                                   \
  static void check_standard_##NAME(TYPE* cell) {                                                    \
    TYPE fetched[3] = {0};                                                                           \
    shmem_atomic_inc(cell, right);                                                                   \
    shmem_atomic_add(cell, (TYPE)4, right);                                                          \
    shmem_quiet();                                                                                   \
    shmem_atomic_inc(ctx, cell, right);                                                              \
    shmem_atomic_add(ctx, cell, (TYPE)4, right);                                                     \
    shmem_ctx_quiet(ctx);                                                                            \
    CHECK(shmem_atomic_fetch_inc(cell, right) == (TYPE)10, #NAME " inc, add");                       \
    CHECK(shmem_atomic_fetch_inc(ctx, cell, right) == (TYPE)11, #NAME " fetch_inc");                 \
    CHECK(shmem_atomic_fetch_add(cell, (TYPE)8, right) == (TYPE)12, #NAME " fetch_add");             \
    CHECK(shmem_atomic_fetch_add(ctx, cell, (TYPE)10, right) == (TYPE)20, #NAME " fetch_add");       \
    CHECK(shmem_atomic_compare_swap(cell, (TYPE)30, (TYPE)1, right) == (TYPE)30, #NAME " cswap");    \
    CHECK(shmem_atomic_compare_swap(ctx, cell, (TYPE)9, (TYPE)2, right) == (TYPE)1, #NAME " cswap"); \
    shmem_atomic_fetch_inc_nbi(&fetched[0], cell, right);                                            \
    shmem_quiet();                                                                                   \
    shmem_atomic_fetch_add_nbi(ctx, &fetched[1], cell, (TYPE)5, right);                              \
    shmem_ctx_quiet(ctx);                                                                            \
    shmem_atomic_compare_swap_nbi(&fetched[2], cell, (TYPE)7, (TYPE)0, right);                       \
    shmem_quiet();                                                                                   \
    CHECK(fetched[0] == (TYPE)1 && fetched[1] == (TYPE)2 && fetched[2] == (TYPE)7, #NAME " nbi");    \
    shmem_atomic_fetch_inc_nbi(ctx, &fetched[0], cell, right);                                       \
    shmem_ctx_quiet(ctx);                                                                            \
    shmem_atomic_fetch_add_nbi(&fetched[1], cell, (TYPE)5, right);                                   \
    shmem_quiet();                                                                                   \
    shmem_atomic_compare_swap_nbi(ctx, &fetched[2], cell, (TYPE)6, (TYPE)0, right);                  \
    shmem_ctx_quiet(ctx);                                                                            \
    CHECK(fetched[0] == (TYPE)0 && fetched[1] == (TYPE)1 && fetched[2] == (TYPE)6, #NAME " nbi");    \
    shmem_barrier_all();                                                                             \
  }

#define CHECK_BITWISE(NAME, TYPE)                                                                  \
  static void check_bitwise_##NAME(TYPE* cell) {                                                   \
    TYPE fetched[3] = {0};                                                                         \
    shmem_atomic_or(cell, (TYPE)15, right);                                                        \
    shmem_quiet();                                                                                 \
    shmem_atomic_and(ctx, cell, (TYPE)6, right);                                                   \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_xor(cell, (TYPE)1, right);                                                        \
    shmem_quiet();                                                                                 \
    CHECK(shmem_atomic_fetch_or(ctx, cell, (TYPE)16, right) == (TYPE)7, #NAME " or, and, xor");    \
    CHECK(shmem_atomic_fetch_and(cell, (TYPE)21, right) == (TYPE)23, #NAME " fetch_and");          \
    CHECK(shmem_atomic_fetch_xor(ctx, cell, (TYPE)5, right) == (TYPE)21, #NAME " fetch_xor");      \
    shmem_atomic_or(ctx, cell, (TYPE)1, right);                                                    \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_and(cell, (TYPE)17, right);                                                       \
    shmem_quiet();                                                                                 \
    shmem_atomic_xor(ctx, cell, (TYPE)16, right);                                                  \
    shmem_ctx_quiet(ctx);                                                                          \
    CHECK(shmem_atomic_fetch_or(cell, (TYPE)2, right) == (TYPE)1, #NAME " fetch_or");              \
    CHECK(shmem_atomic_fetch_and(ctx, cell, (TYPE)2, right) == (TYPE)3, #NAME " fetch_and");       \
    CHECK(shmem_atomic_fetch_xor(cell, (TYPE)2, right) == (TYPE)2, #NAME " fetch_xor");            \
    shmem_atomic_fetch_or_nbi(&fetched[0], cell, (TYPE)12, right);                                 \
    shmem_quiet();                                                                                 \
    shmem_atomic_fetch_and_nbi(ctx, &fetched[1], cell, (TYPE)4, right);                            \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_fetch_xor_nbi(&fetched[2], cell, (TYPE)4, right);                                 \
    shmem_quiet();                                                                                 \
    CHECK(fetched[0] == (TYPE)0 && fetched[1] == (TYPE)12 && fetched[2] == (TYPE)4, #NAME " nbi"); \
    shmem_atomic_fetch_or_nbi(ctx, &fetched[0], cell, (TYPE)3, right);                             \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_fetch_and_nbi(&fetched[1], cell, (TYPE)1, right);                                 \
    shmem_quiet();                                                                                 \
    shmem_atomic_fetch_xor_nbi(ctx, &fetched[2], cell, (TYPE)1, right);                            \
    shmem_ctx_quiet(ctx);                                                                          \
    CHECK(fetched[0] == (TYPE)0 && fetched[1] == (TYPE)3 && fetched[2] == (TYPE)1, #NAME " nbi");  \
    shmem_barrier_all();                                                                           \
  }

#define BITWISE_TYPES(X) \
  X(uint, unsigned)      \
  X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t)
#define STANDARD_TYPES(X) \
  X(int, int)             \
  X(long, long)           \
  X(longlong, long long)  \
  X(uint, unsigned)       \
  X(ulong, unsigned long) X(ulonglong, unsigned long long) X(size, size_t) X(ptrdiff, ptrdiff_t) X(uint32, uint32_t)
#define EXTENDED_TYPES(X) STANDARD_TYPES(X) X(float, float) X(double, double)
EXTENDED_TYPES(CHECK_EXTENDED)
STANDARD_TYPES(CHECK_STANDARD)
BITWISE_TYPES(CHECK_BITWISE)

#define RUN_EXTENDED(NAME, TYPE) \
  memset(cell, 0, 8);            \
  shmem_barrier_all();           \
  check_extended_##NAME(cell);
#define RUN_STANDARD(NAME, TYPE) \
  memset(cell, 0, 8);            \
  shmem_barrier_all();           \
  check_standard_##NAME(cell);
#define RUN_BITWISE(NAME, TYPE) \
  memset(cell, 0, 8);           \
  shmem_barrier_all();          \
  check_bitwise_##NAME(cell);

int main(void) {
  shmem_init();
  right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* cell = memory_take(kind, 8);
    EXTENDED_TYPES(RUN_EXTENDED)
    STANDARD_TYPES(RUN_STANDARD)
    BITWISE_TYPES(RUN_BITWISE)
    memory_give_back(kind, cell);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
