// Element counts whose size in bytes overflows: every routine that multiplies reports it.
// @extension
// @run pes=2 put -> fails /PE 1: shmem_long_put: nelems = 2305843009213693953: exceeds the address space/
// @run pes=2 get -> fails /PE 1: shmem_long_get: nelems = 2305843009213693953/
//
// @run pes=2 put_signal -> fails /PE 1: shmem_long_put_signal: nelems = 2305843009213693953/
// @run pes=2 iput -> fails /PE 1: shmem_long_iput: dst = 1: 2305843009213693953 blocks with this stride/
//
// @run pes=2 iget -> fails /PE 1: shmem_long_iget: sst = 1: 2305843009213693953 blocks with this stride/
// @run pes=2 iput_stride -> fails /PE 1: shmem_long_iput: dst = 4611686018427387904: 5 blocks with this stride/
//
// @run pes=2 wait_until_all -> fails /PE 1: shmem_long_wait_until_all: nelems = 2305843009213693953/
// @run pes=2 test_any -> fails /PE 1: shmem_long_test_any: nelems = 2305843009213693953/
// @run pes=2 broadcast -> fails /PE 1: shmem_long_broadcast: nelems/
//
// @run pes=2 fcollect -> fails /PE 1: shmem_long_fcollect: nelems/
// @run pes=2 alltoall -> fails /PE 1: shmem_long_alltoall: nelems/
// @run pes=2 reduce -> fails /PE 1: shmem_long_sum_reduce: nelems/
//
// @run pes=2 negative -> fails /PE 1: shmem_long_put: nelems = 18446744073709551615: exceeds the address space/
#include "bad_use.h"

static const size_t many = SIZE_MAX / 8 + 2;  // times 8 is 8
static long there[4], here[4];
static uint64_t signal_word;

static void put(void) { shmem_long_put(there, here, many, 0); }
static void get(void) { shmem_long_get(here, there, many, 0); }
static void put_signal(void) { shmem_long_put_signal(there, here, many, &signal_word, 1, SHMEM_SIGNAL_SET, 0); }
static void iput(void) { shmem_long_iput(there, here, 1, 1, many, 0); }
static void iget(void) { shmem_long_iget(here, there, 1, 1, many, 0); }
static void iput_stride(void) { shmem_long_iput(there, here, (ptrdiff_t)1 << 62, 1, 5, 0); }
static void wait_until_all(void) { shmem_long_wait_until_all(there, many, NULL, SHMEM_CMP_EQ, 1); }
static void test_any(void) { here[0] = (long)shmem_long_test_any(there, many, NULL, SHMEM_CMP_EQ, 1); }
static void broadcast(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, there, here, many, 0); }
static void fcollect(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, there, here, SIZE_MAX / 16 + 2); }
static void alltoall(void) { shmem_long_alltoall(SHMEM_TEAM_WORLD, there, here, SIZE_MAX / 16 + 2); }
static void reduce(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, there, here, many); }
static void negative(void) {
  volatile int count = -1;
  shmem_long_put(there, here, (size_t)count, 0);
}

static const struct mistake mistakes[] = {{"put", put},
                                          {"get", get},
                                          {"put_signal", put_signal},
                                          {"iput", iput},
                                          {"iget", iget},
                                          {"iput_stride", iput_stride},
                                          {"wait_until_all", wait_until_all},
                                          {"test_any", test_any},
                                          {"broadcast", broadcast},
                                          {"fcollect", fcollect},
                                          {"alltoall", alltoall},
                                          {"reduce", reduce},
                                          {"negative", negative}};

int main(int argc, char** argv) {
  shmem_init();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
