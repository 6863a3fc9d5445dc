// C11 generic names of the team collectives, chosen by the type of dest; shmem_sync takes a team
// or, as the deprecated function of the same name, an active set.
// @since 1.6
#include <complex.h>
#include "symmetric.h"

enum { most_pes = 64 };
#define WORLD SHMEM_TEAM_WORLD

#define CHECK_MOVING(NAME, TYPE)                                                      \
  static void check_moving_##NAME(TYPE* dest, TYPE* source) {                         \
    const int me = shmem_my_pe(), n = shmem_n_pes();                                  \
    for (int i = 0; i < n; i++) source[i] = (TYPE)(me + i);                           \
    shmem_sync(WORLD);                                                                \
    CHECK(shmem_broadcast(WORLD, dest, source, 1, n - 1) == 0, #NAME);                \
    CHECK(dest[0] == (TYPE)(n - 1), #NAME " broadcast");                              \
    shmem_sync(WORLD);                                                                \
    CHECK(shmem_fcollect(WORLD, dest, source, 1) == 0, #NAME);                        \
    CHECK(dest[n - 1] == (TYPE)(n - 1), #NAME " fcollect");                           \
    shmem_sync(WORLD);                                                                \
    CHECK(shmem_collect(WORLD, dest, source, (size_t)(me == 0)) == 0, #NAME);         \
    CHECK(dest[0] == (TYPE)0, #NAME " collect");                                      \
    shmem_sync(WORLD);                                                                \
    CHECK(shmem_alltoall(WORLD, dest, source, 1) == 0, #NAME);                        \
    for (int i = 0; i < n; i++) CHECK(dest[i] == (TYPE)(i + me), #NAME " alltoall");  \
    shmem_sync(WORLD);                                                                \
    CHECK(shmem_alltoalls(WORLD, dest, source, 1, 1, 1) == 0, #NAME);                 \
    for (int i = 0; i < n; i++) CHECK(dest[i] == (TYPE)(i + me), #NAME " alltoalls"); \
    shmem_sync(WORLD);                                                                \
  }

#define CHECK_ARITHMETIC(NAME, TYPE)                                    \
  static void check_arithmetic_##NAME(TYPE* dest, TYPE* source) {       \
    const int me = shmem_my_pe(), n = shmem_n_pes();                    \
    source[0] = (TYPE)(me + 1);                                         \
    shmem_sync(WORLD);                                                  \
    CHECK(shmem_sum_reduce(WORLD, &dest[0], source, 1) == 0, #NAME);    \
    CHECK(shmem_sum_inscan(WORLD, &dest[1], source, 1) == 0, #NAME);    \
    CHECK(shmem_sum_exscan(WORLD, &dest[2], source, 1) == 0, #NAME);    \
    CHECK(dest[0] == (TYPE)(n * (n + 1) / 2), #NAME " sum");            \
    CHECK(dest[1] == (TYPE)((me + 1) * (me + 2) / 2), #NAME " inscan"); \
    CHECK(dest[2] == (TYPE)(me * (me + 1) / 2), #NAME " exscan");       \
    source[0] = (TYPE)(me == 0 ? 3 : 1);                                \
    CHECK(shmem_prod_reduce(WORLD, &dest[3], source, 1) == 0, #NAME);   \
    CHECK(dest[3] == (TYPE)3, #NAME " prod");                           \
    shmem_sync(WORLD);                                                  \
  }

#define CHECK_ORDERED(NAME, TYPE)                                                   \
  static void check_ordered_##NAME(TYPE* dest, TYPE* source) {                      \
    source[0] = (TYPE)(shmem_my_pe() + 1);                                          \
    shmem_sync(WORLD);                                                              \
    CHECK(shmem_max_reduce(WORLD, &dest[0], source, 1) == 0, #NAME);                \
    CHECK(shmem_min_reduce(WORLD, &dest[1], source, 1) == 0, #NAME);                \
    CHECK(dest[0] == (TYPE)shmem_n_pes() && dest[1] == (TYPE)1, #NAME " max, min"); \
    shmem_sync(WORLD);                                                              \
  }

#define CHECK_BITWISE(NAME, TYPE)                                                                    \
  static void check_bitwise_##NAME(TYPE* dest, TYPE* source) {                                       \
    source[0] = (TYPE)(shmem_my_pe() == 0 ? 6 : 3);                                                  \
    shmem_sync(WORLD);                                                                               \
    CHECK(shmem_and_reduce(WORLD, &dest[0], source, 1) == 0, #NAME);                                 \
    CHECK(shmem_or_reduce(WORLD, &dest[1], source, 1) == 0, #NAME);                                  \
    CHECK(shmem_xor_reduce(WORLD, &dest[2], source, 1) == 0, #NAME);                                 \
    const int n = shmem_n_pes();                                                                     \
    CHECK(dest[0] == (TYPE)(n == 1 ? 6 : 2) && dest[1] == (TYPE)(n == 1 ? 6 : 7), #NAME " and, or"); \
    CHECK(dest[2] == (TYPE)(n % 2 ? 6 : 5), #NAME " xor");                                           \
    shmem_sync(WORLD);                                                                               \
  }

#define BITWISE_TYPES(X)    \
  X(uchar, unsigned char)   \
  X(ushort, unsigned short) \
  X(uint, unsigned)         \
  X(ulong, unsigned long)   \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(size, size_t)
#define ORDERED_TYPES(X) \
  BITWISE_TYPES(X)       \
  X(char, char) X(longlong, long long) X(float, float) X(double, double) X(longdouble, long double)
#define ARITHMETIC_TYPES(X) ORDERED_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)
BITWISE_TYPES(CHECK_BITWISE)
ORDERED_TYPES(CHECK_ORDERED)
ORDERED_TYPES(CHECK_MOVING)
ARITHMETIC_TYPES(CHECK_ARITHMETIC)

#define RUN_BITWISE(NAME, TYPE) check_bitwise_##NAME(dest, source);
#define RUN_ORDERED(NAME, TYPE) check_ordered_##NAME(dest, source);
#define RUN_MOVING(NAME, TYPE) check_moving_##NAME(dest, source);
#define RUN_ARITHMETIC(NAME, TYPE) check_arithmetic_##NAME(dest, source);

int main(void) {
  static long psync[SHMEM_BARRIER_SYNC_SIZE];
  shmem_init();
  CHECK(shmem_n_pes() <= most_pes, "%d PEs", shmem_n_pes());
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++) psync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* dest = memory_take(kind, most_pes * sizeof(long double));
    void* source = memory_take(kind, most_pes * sizeof(long double));
    BITWISE_TYPES(RUN_BITWISE)
    ORDERED_TYPES(RUN_ORDERED)
    ORDERED_TYPES(RUN_MOVING)
    ARITHMETIC_TYPES(RUN_ARITHMETIC)
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0, "sync of a team");
  shmem_sync(0, 0, shmem_n_pes(), psync);
  shmem_finalize();
  return 0;
}
