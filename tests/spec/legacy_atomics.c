// The 30 atomics without `atomic` in their names, deprecated since 1.4.
#include "symmetric.h"

#define INTEGER_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define ALL_TYPES(X) INTEGER_TYPES(X) X(float, float) X(double, double)

#define CHECK_ALL(NAME, TYPE)                                                   \
  static void check_all_##NAME(TYPE* cell, int right) {                         \
    *cell = (TYPE)3;                                                            \
    shmem_barrier_all();                                                        \
    CHECK(shmem_##NAME##_fetch(cell, right) == (TYPE)3, #NAME " fetch");        \
    CHECK(shmem_##NAME##_swap(cell, (TYPE)8, right) == (TYPE)3, #NAME " swap"); \
    shmem_##NAME##_set(cell, (TYPE)20, right);                                  \
    shmem_quiet();                                                              \
    CHECK(shmem_##NAME##_fetch(cell, right) == (TYPE)20, #NAME " set");         \
    shmem_barrier_all();                                                        \
  }
ALL_TYPES(CHECK_ALL)

#define CHECK_INTEGER(NAME, TYPE)                                                                  \
  static void check_integer_##NAME(TYPE* cell, int right) {                                        \
    CHECK(shmem_##NAME##_cswap(cell, (TYPE)1, (TYPE)2, right) == (TYPE)20, #NAME " cswap, other"); \
    CHECK(shmem_##NAME##_cswap(cell, (TYPE)20, (TYPE)2, right) == (TYPE)20, #NAME " cswap");       \
    CHECK(shmem_##NAME##_finc(cell, right) == (TYPE)2, #NAME " finc");                             \
    shmem_##NAME##_inc(cell, right);                                                               \
    shmem_##NAME##_add(cell, (TYPE)10, right);                                                     \
    shmem_quiet();                                                                                 \
    CHECK(shmem_##NAME##_fadd(cell, (TYPE)5, right) == (TYPE)14, #NAME " inc, add, fadd");         \
    CHECK(shmem_##NAME##_fetch(cell, right) == (TYPE)19, #NAME " fadd");                           \
    shmem_barrier_all();                                                                           \
  }
INTEGER_TYPES(CHECK_INTEGER)

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* cell = memory_take(kind, sizeof(long long));
    check_all_float(cell, right);
    check_all_double(cell, right);
    check_all_int(cell, right);
    check_integer_int(cell, right);
    check_all_long(cell, right);
    check_integer_long(cell, right);
    check_all_longlong(cell, right);
    check_integer_longlong(cell, right);
    memory_give_back(kind, cell);
  }
  shmem_finalize();
  return 0;
}
