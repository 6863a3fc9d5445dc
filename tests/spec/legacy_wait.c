// shmem_wait (wait until not equal), the untyped shmem_wait_until, and the short forms of wait and
// test.
#include "symmetric.h"

#undef shmem_wait_until  // the function, not the generic name of the same spelling

#define CHECK_WAIT(NAME, TYPE)                                    \
  static void check_wait_##NAME(void* memory, int right) {        \
    TYPE* flag = memory;                                          \
    *flag = 7;                                                    \
    shmem_barrier_all();                                          \
    shmem_##NAME##_p(flag, 9, right);                             \
    shmem_##NAME##_wait(flag, 7);                                 \
    CHECK(*flag == 9, #NAME "_wait came back at %d", (int)*flag); \
    shmem_barrier_all();                                          \
  }
CHECK_WAIT(short, short)
CHECK_WAIT(int, int)
CHECK_WAIT(long, long)
CHECK_WAIT(longlong, long long)

static void check_untyped(long* flag, int right) {
  *flag = 1;
  shmem_barrier_all();
  shmem_long_p(flag, 2, right);
  shmem_wait(flag, 1);
  CHECK(*flag == 2, "shmem_wait came back at %ld", *flag);
  shmem_barrier_all();
  shmem_long_p(flag, -5, right);
  shmem_wait_until(flag, SHMEM_CMP_LT, 0);
  CHECK(*flag == -5, "shmem_wait_until came back at %ld", *flag);
  shmem_barrier_all();
}

static void check_short_forms(void* memory, int right) {
  short* flag = memory;
  *flag = 0;
  shmem_barrier_all();
  shmem_short_p(flag, -3, right);
  shmem_short_wait_until(flag, SHMEM_CMP_LE, -3);
  CHECK(*flag == -3, "short_wait_until");
#if SPEC_AT_LEAST(1, 5)
  CHECK(shmem_short_test(flag, SHMEM_CMP_EQ, -3) && !shmem_short_test(flag, SHMEM_CMP_GT, 0), "short_test");
  unsigned short* unsigned_flag = memory;
  CHECK(shmem_ushort_test(unsigned_flag, SHMEM_CMP_GT, 60000), "ushort_test is unsigned");
  shmem_barrier_all();
  shmem_ushort_p(unsigned_flag, 65535, right);
  shmem_ushort_wait_until(unsigned_flag, SHMEM_CMP_EQ, 65535);
#endif
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    void* flag = memory_take(kind, sizeof(long long));
    check_wait_short(flag, right);
    check_wait_int(flag, right);
    check_wait_long(flag, right);
    check_wait_longlong(flag, right);
    check_untyped(flag, right);
    check_short_forms(flag, right);
    memory_give_back(kind, flag);
  }
  shmem_finalize();
  return 0;
}
