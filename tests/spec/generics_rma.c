// C11 generic names of remote memory access: chosen by the pointer's type, with or without a
// leading context.
#include "symmetric.h"
#include "types.h"

static shmem_ctx_t ctx;

#define BASE_TYPES(X)     \
  FLOATING_TYPES(X)       \
  X(char, char)           \
  X(schar, signed char)   \
  X(short, short)         \
  X(int, int)             \
  X(long, long)           \
  X(longlong, long long)  \
  X(uchar, unsigned char) \
  X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long)

// One name per type, so that a wrong choice (another type's routine) moves the wrong number of
// bytes.
#define CHECK_TYPE(NAME, TYPE)                                                                  \
  static void check_##NAME(TYPE* cells, int right) {                                            \
    const TYPE source[4] = {(TYPE)1, (TYPE)2, (TYPE)3, (TYPE)4};                                \
    TYPE got[4] = {0};                                                                          \
    shmem_p(&cells[0], (TYPE)9, right);                                                         \
    shmem_p(ctx, &cells[1], (TYPE)10, right);                                                   \
    shmem_put(&cells[2], source, 2, right);                                                     \
    shmem_put(ctx, &cells[4], source, 2, right);                                                \
    shmem_put_nbi(&cells[6], source, 1, right);                                                 \
    shmem_put_nbi(ctx, &cells[7], source, 1, right);                                            \
    shmem_iput(&cells[8], source, 1, 2, 2, right);                                              \
    shmem_iput(ctx, &cells[10], source, 1, 2, 2, right);                                        \
    shmem_ctx_quiet(ctx);                                                                       \
    shmem_barrier_all();                                                                        \
    static const int expected[12] = {9, 10, 1, 2, 1, 2, 1, 1, 1, 3, 1, 3};                      \
    for (int i = 0; i < 12; i++) CHECK(cells[i] == (TYPE)expected[i], #NAME ": element %d", i); \
    CHECK(shmem_g(&cells[1], right) == (TYPE)10, #NAME ": g");                                  \
    CHECK(shmem_g(ctx, (const TYPE*)&cells[1], right) == (TYPE)10, #NAME ": g");                \
    shmem_get(got, &cells[0], 1, right);                                                        \
    shmem_get(ctx, &got[1], &cells[0], 1, right);                                               \
    shmem_get_nbi(&got[2], &cells[0], 1, right);                                                \
    shmem_get_nbi(ctx, &got[3], &cells[0], 1, right);                                           \
    shmem_quiet();                                                                              \
    shmem_ctx_quiet(ctx);                                                                       \
    for (int i = 0; i < 4; i++) CHECK(got[i] == (TYPE)9, #NAME ": get %d", i);                  \
    shmem_iget(got, &cells[8], 1, 3, 2, right);                                                 \
    CHECK(got[0] == (TYPE)1 && got[1] == (TYPE)3, #NAME ": iget");                              \
    shmem_iget(ctx, &got[2], &cells[8], 1, 3, 2, right);                                        \
    CHECK(got[2] == (TYPE)1 && got[3] == (TYPE)3, #NAME ": iget");                              \
    shmem_barrier_all();                                                                        \
  }
BASE_TYPES(CHECK_TYPE)

#if SPEC_AT_LEAST(1, 6)
#define CHECK_BLOCKS(NAME, TYPE)                                         \
  static void check_blocks_##NAME(TYPE* cells, int right) {              \
    const TYPE source[4] = {(TYPE)1, (TYPE)2, (TYPE)3, (TYPE)4};         \
    TYPE got[4] = {0};                                                   \
    shmem_ibput(&cells[0], source, 3, 2, 2, 2, right);                   \
    shmem_ibput(ctx, &cells[6], source, 3, 2, 2, 2, right);              \
    shmem_ctx_quiet(ctx);                                                \
    shmem_barrier_all();                                                 \
    CHECK(cells[3] == (TYPE)3 && cells[10] == (TYPE)4, #NAME ": ibput"); \
    shmem_ibget(got, &cells[0], 2, 3, 2, 2, right);                      \
    CHECK(got[1] == (TYPE)2 && got[2] == (TYPE)3, #NAME ": ibget");      \
    shmem_ibget(ctx, got, &cells[6], 2, 3, 1, 2, right);                 \
    CHECK(got[2] == (TYPE)3, #NAME ": ibget");                           \
    shmem_barrier_all();                                                 \
  }
#else
#define CHECK_BLOCKS(NAME, TYPE) \
  static void check_blocks_##NAME(TYPE* c, int r) { (void)c, (void)r; }
#endif
BASE_TYPES(CHECK_BLOCKS)

#define RUN(NAME, TYPE)       \
  check_##NAME(cells, right); \
  check_blocks_##NAME(cells, right);

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* cells = memory_take(kind, 12 * sizeof(long double));
    BASE_TYPES(RUN)
    memory_give_back(kind, cells);
  }
  // The exact-width names and size_t are other names of base types, and must select their functions.
  static uint8_t byte;
  static size_t size;
  static int64_t wide;
  shmem_p(&byte, (uint8_t)255, right);
  shmem_p(&size, (size_t)77, right);
  shmem_p(&wide, (int64_t)-8, right);
  shmem_barrier_all();
  CHECK(byte == 255 && size == 77 && wide == -8, "exact widths");
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
