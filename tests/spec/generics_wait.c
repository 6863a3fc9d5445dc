// C11 generic names of wait and test; shmem_wait_until shares its name with the deprecated function
// on long.
// @since 1.5
#include "symmetric.h"

enum { count = 4 };

#define CHECK_TYPE(NAME, TYPE)                                                                      \
  static void check_##NAME(TYPE* v, int right) {                                                    \
    const TYPE values[count] = {(TYPE)1, (TYPE)2, (TYPE)3, (TYPE)4};                                \
    size_t indices[count];                                                                          \
    CHECK(!shmem_test(v, SHMEM_CMP_EQ, (TYPE)1), #NAME " test");                                    \
    CHECK(!shmem_test_all(v, count, NULL, SHMEM_CMP_EQ, (TYPE)1), #NAME " test_all");               \
    CHECK(shmem_test_any(v, count, NULL, SHMEM_CMP_EQ, (TYPE)1) == SIZE_MAX, #NAME " test_any");    \
    CHECK(shmem_test_some(v, count, indices, NULL, SHMEM_CMP_EQ, (TYPE)1) == 0, #NAME);             \
    shmem_barrier_all();                                                                            \
    for (int i = 0; i < count; i++) shmem_atomic_set(&v[i], values[i], right);                      \
    shmem_wait_until(&v[3], SHMEM_CMP_GE, (TYPE)4);                                                 \
    shmem_wait_until_all(v, count, NULL, SHMEM_CMP_GT, (TYPE)0);                                    \
    CHECK(shmem_wait_until_any(v, count, NULL, SHMEM_CMP_EQ, (TYPE)3) == 2, #NAME " any");          \
    CHECK(shmem_wait_until_some(v, count, indices, NULL, SHMEM_CMP_LT, (TYPE)2) == 1, #NAME);       \
    shmem_wait_until_all_vector(v, count, NULL, SHMEM_CMP_EQ, values);                              \
    CHECK(shmem_wait_until_any_vector(v, count, NULL, SHMEM_CMP_EQ, values) < count, #NAME);        \
    CHECK(shmem_wait_until_some_vector(v, count, indices, NULL, SHMEM_CMP_EQ, values) >= 1, #NAME); \
    CHECK(shmem_test_all_vector(v, count, NULL, SHMEM_CMP_EQ, values), #NAME);                      \
    CHECK(shmem_test_any_vector(v, count, NULL, SHMEM_CMP_NE, values) == SIZE_MAX, #NAME);          \
    CHECK(shmem_test_some_vector(v, count, indices, NULL, SHMEM_CMP_LE, values) == count, #NAME);   \
    CHECK(shmem_test(&v[1], SHMEM_CMP_EQ, (TYPE)2), #NAME " test");                                 \
    shmem_barrier_all();                                                                            \
  }
#define TYPES(X)         \
  X(int, int)            \
  X(long, long)          \
  X(longlong, long long) \
  X(uint, unsigned)      \
  X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int64, int64_t) X(uint32, uint32_t) X(size, size_t)
TYPES(CHECK_TYPE)

#define RUN(NAME, TYPE)                        \
  memset(cells, 0, count * sizeof(long long)); \
  shmem_barrier_all();                         \
  check_##NAME(cells, right);

static void check_short(short* flag, unsigned short* unsigned_flag, int right) {
  shmem_p(flag, (short)-2, right);
  shmem_wait_until(flag, SHMEM_CMP_LT, (short)0);
  CHECK(shmem_test(flag, SHMEM_CMP_EQ, (short)-2), "short");
  shmem_p(unsigned_flag, (unsigned short)65535, right);
  shmem_wait_until(unsigned_flag, SHMEM_CMP_GT, (unsigned short)1);
  CHECK(shmem_test(unsigned_flag, SHMEM_CMP_EQ, (unsigned short)65535), "unsigned short");
}

int main(void) {
  static short flag;
  static unsigned short unsigned_flag;
  static long untyped;
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* cells = memory_take(kind, count * sizeof(long long));
    TYPES(RUN)
    memory_give_back(kind, cells);
  }
  check_short(&flag, &unsigned_flag, right);
  void (*function)(long*, int, long) = shmem_wait_until;  // no parentheses: the function
  shmem_atomic_set(&untyped, 5L, right);
  function(&untyped, SHMEM_CMP_EQ, 5);
  shmem_finalize();
  return 0;
}
