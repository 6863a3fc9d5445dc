// The eight deprecated generic names: fetch, set, cswap, swap, finc, inc, fadd, add.
#include "check.h"

#define CHECK_INTEGER(NAME, TYPE)                                                  \
  static void check_##NAME(void) {                                                 \
    static TYPE cell;                                                              \
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();                         \
    shmem_barrier_all();                                                           \
    shmem_set(&cell, (TYPE)5, right);                                              \
    shmem_quiet();                                                                 \
    CHECK(shmem_fetch(&cell, right) == (TYPE)5, #NAME " set, fetch");              \
    CHECK(shmem_swap(&cell, (TYPE)6, right) == (TYPE)5, #NAME " swap");            \
    CHECK(shmem_cswap(&cell, (TYPE)6, (TYPE)7, right) == (TYPE)6, #NAME " cswap"); \
    shmem_inc(&cell, right);                                                       \
    shmem_add(&cell, (TYPE)2, right);                                              \
    shmem_quiet();                                                                 \
    CHECK(shmem_finc(&cell, right) == (TYPE)10, #NAME " inc, add");                \
    CHECK(shmem_fadd(&cell, (TYPE)4, right) == (TYPE)11, #NAME " finc");           \
    CHECK(shmem_fetch(&cell, right) == (TYPE)15, #NAME " fadd");                   \
  }
#define CHECK_FLOATING(NAME, TYPE)                                               \
  static void check_##NAME(void) {                                               \
    static TYPE cell;                                                            \
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();                       \
    shmem_barrier_all();                                                         \
    shmem_set(&cell, (TYPE)1.5, right);                                          \
    shmem_quiet();                                                               \
    CHECK(shmem_swap(&cell, (TYPE)2.5, right) == (TYPE)1.5, #NAME " set, swap"); \
    CHECK(shmem_fetch((const TYPE*)&cell, right) == (TYPE)2.5, #NAME " fetch");  \
  }
CHECK_INTEGER(int, int)
CHECK_INTEGER(long, long)
CHECK_INTEGER(longlong, long long)
CHECK_FLOATING(float, float)
CHECK_FLOATING(double, double)

int main(void) {
  shmem_init();
  check_int();
  check_long();
  check_longlong();
  check_float();
  check_double();
  shmem_finalize();
  return 0;
}
