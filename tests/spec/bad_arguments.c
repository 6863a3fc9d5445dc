// Invalid values of arguments: comparison, signal operator, stride, alignment, root.
// @extension
// @run pes=2 cmp -> fails /PE 1.*shmem_int_wait_until.*cmp = 99/
// @run pes=2 cmp_test -> fails /PE 1.*shmem_int_test.*cmp = -1/
// @run pes=2 sig_op -> fails /PE 1.*shmem_putmem_signal.*sig_op = 17/
//
// @run pes=2 zero_stride -> fails /PE 1.*shmem_int_iput.*dst = 0/
// @run pes=2 negative_stride -> fails /PE 1.*shmem_int_iget.*sst = -1/
// @run pes=2 stride_below_block -> fails /PE 1.*shmem_int_ibput.*dst = 2/
//
// @run pes=2 alltoalls_stride -> fails /PE 1.*shmem_int_alltoalls.*dst = 0/
// @run pes=2 active_set_root -> fails /PE 1.*shmem_broadcast64.*PE_root = 2/
// @run pes=2 psync -> fails /PE 1.*shmem_barrier.*pSync = /
#include "bad_use.h"

static int cell[8], value[8];
static uint64_t word;
static long psync[SHMEM_BCAST_SYNC_SIZE];

static void cmp(void) { shmem_int_wait_until(cell, 99, 0); }
static void cmp_test(void) { value[0] = shmem_int_test(cell, -1, 0); }
static void sig_op(void) { shmem_putmem_signal(cell, value, 4, &word, 1, 17, 0); }
static void zero_stride(void) { shmem_int_iput(cell, value, 0, 1, 2, 0); }
static void negative_stride(void) { shmem_int_iget(value, cell, 1, -1, 2, 0); }
static void stride_below_block(void) { shmem_int_ibput(cell, value, 2, 3, 3, 2, 0); }
static void alltoalls_stride(void) { shmem_int_alltoalls(SHMEM_TEAM_WORLD, cell, value, 0, 1, 1); }
static void active_set_root(void) { shmem_broadcast64(&word, &word, 1, 2, 0, 0, 2, psync); }
static void null_psync(void) { shmem_barrier(0, 0, 2, NULL); }

static const struct mistake mistakes[] = {{"cmp", cmp},
                                          {"cmp_test", cmp_test},
                                          {"sig_op", sig_op},
                                          {"zero_stride", zero_stride},
                                          {"negative_stride", negative_stride},
                                          {"stride_below_block", stride_below_block},
                                          {"alltoalls_stride", alltoalls_stride},
                                          {"active_set_root", active_set_root},
                                          {"psync", null_psync}};

int main(int argc, char** argv) {
  shmem_init();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
