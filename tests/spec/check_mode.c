// OSHEN_CHECK finds ranges that leave their block, freed blocks, overlaps and NULL. It does not report correct calls.
// @extension
// @single_node
// @run pes=1,2,3,5 OSHEN_CHECK=1 right
// @run pes=2 OSHEN_CHECK=1 OSHEN_COLL_REDUCE=rabenseifner-put right
// @run pes=2 OSHEN_CHECK=1 p_beyond -> fails /PE 1: shmem_char_p: dest = 0x.*: heap \+ \d+ is in no block/
// @run pes=2 OSHEN_CHECK=1 put_beyond -> fails /PE 1: shmem_putmem: dest = 0x.*: 11 bytes from there exceed the block at heap \+ \d+ of 100 bytes, of which 10 are left/
// @run pes=2 OSHEN_CHECK=1 g_freed -> fails /PE 1: shmem_int_g: source = 0x.*: heap \+ \d+ is in no block: it was freed/
// @run pes=2 OSHEN_CHECK=1 atomic_freed -> fails /PE 1: shmem_long_atomic_fetch_add: dest = 0x.*is in no block/
// @run pes=2 OSHEN_CHECK=1 signal_freed -> fails /PE 1: shmem_putmem_signal: sig_addr = 0x.*is in no block/
// @run pes=2 OSHEN_CHECK=1 iput_beyond -> fails /PE 1: shmem_int_iput: dest = 0x.* exceed the block/
// @run pes=2 OSHEN_CHECK=1 wait_freed -> fails /PE 1: shmem_int_wait_until: ivar = 0x.*is in no block/
// @run pes=2 OSHEN_CHECK=1 realloc_shorter -> fails /PE 1: shmem_putmem: dest = 0x.* exceed the block .* of 10 bytes/
// @run pes=2 OSHEN_CHECK=1 reduce_beyond -> fails /shmem_int_sum_reduce: dest = 0x.* exceed the block/
// @run pes=2 OSHEN_CHECK=1 collect_beyond -> fails /shmem_collectmem: dest = 0x.*: 120 bytes from there exceed the block/
// @run pes=2 OSHEN_CHECK=1 overlap -> fails /shmem_int_sum_reduce: dest = .* overlap: expected the same address or none in common/
// @run pes=2 OSHEN_CHECK=1 alltoall_in_place -> fails /shmem_int_alltoall: dest = .* overlap/
// @run pes=2,3 OSHEN_CHECK=1 nonblocking_beyond -> fails /shmemx_int_sum_reduce_nb: dest = 0x.* exceed the block/
// @run pes=2 OSHEN_CHECK=1 variable_beyond -> fails /PE 1: shmem_long_put: dest = 0x.*: 64 bytes from there exceed the variable data of 320 bytes, of which 56 are left/
// @run pes=2 OSHEN_CHECK=1 put_null -> fails /PE 1: shmem_putmem: source = NULL: expected/
// @run pes=2 OSHEN_CHECK=1 put_one_null -> fails /PE 1: shmem_long_put: source = NULL: expected/
// @run pes=2 OSHEN_CHECK=1 get_null -> fails /PE 1: shmem_getmem: dest = NULL: expected/
// @run pes=2 OSHEN_CHECK=1 not_symmetric -> fails /PE 1: shmem_int_p: dest = 0x.*: not a symmetric address/
// @run pes=1 OSHEN_CHECK=yes right -> fails /OSHEN_CHECK = "yes": expected 0 or 1/
#include <shmemx.h>
#include "bad_use.h"

static char *block, *freed, bytes[200];
static long data[40], sum[40];
static int numbers[8];

static void p_beyond(void) { shmem_char_p(block + 100, 1, 0); }
static void put_beyond(void) { shmem_putmem(block + 90, bytes, 11, 0); }
static void g_freed(void) { numbers[0] = shmem_int_g((int*)freed, 0); }
static void atomic_freed(void) { data[0] = shmem_long_atomic_fetch_add((long*)freed, 1, 0); }
static void signal_freed(void) { shmem_putmem_signal(block, bytes, 1, (uint64_t*)freed, 1, SHMEM_SIGNAL_SET, 0); }
static void iput_beyond(void) { shmem_int_iput((int*)block, numbers, 6, 1, 6, 0); }
static void wait_freed(void) { shmem_int_wait_until((int*)freed, SHMEM_CMP_EQ, 1); }
static void realloc_shorter(void) { shmem_putmem(block, bytes, 11, 0); }
static void put_null(void) { shmem_putmem(block, NULL, 50, 0); }
static void put_one_null(void) { shmem_long_put((long*)block, NULL, 1, 0); }
static void get_null(void) { shmem_getmem(NULL, block, 50, 0); }
static void not_symmetric(void) {
  int mine;
  shmem_int_p(&mine, 1, 0);
}
static void reduce_beyond(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, (int*)block, numbers, 26); }
static void nonblocking_beyond(void) {
  shmemx_request_t request;
  shmemx_int_sum_reduce_nb(SHMEM_TEAM_WORLD, (int*)block, numbers, 26, &request);
  shmemx_coll_wait(&request);
}
static void variable_beyond(void) { shmem_long_put(data + 33, sum, 8, 0); }
static void collect_beyond(void) { shmem_collectmem(SHMEM_TEAM_WORLD, block, bytes, 60); }
static void overlap(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, numbers + 1, numbers, 4); }
static void alltoall_in_place(void) { shmem_int_alltoall(SHMEM_TEAM_WORLD, numbers, numbers, 1); }

// Much of what there is, used as it should be.
static void right(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  shmem_putmem(block, bytes, 100, next);
  shmem_fence();
  shmem_char_p(block + 99, 7, next);
  shmem_barrier_all();
  CHECK(shmem_char_g(block + 99, me) == 7, "p and g");
  for (int i = 0; i < 40; i++) data[i] = me + i;
  for (int round = 0; round < 40; round++) {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, data, 40);
    CHECK(sum[3] == (long)n * (n - 1) / 2 + 3L * n, "sum %ld", sum[3]);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, sum, 1);
    long* wide = shmem_malloc((size_t)n * 40 * sizeof(long));
    shmem_long_fcollect(SHMEM_TEAM_WORLD, wide, data, 40);
    shmem_long_collect(SHMEM_TEAM_WORLD, wide, data, (size_t)me % 3);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, sum, sum, 10, round % n);
    wide = shmem_realloc(wide, (size_t)n * 80 * sizeof(long));
    shmem_long_alltoall(SHMEM_TEAM_WORLD, wide, wide + 40 * n, 20);
    shmem_free(wide);
  }
  shmem_team_t evens;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &evens);
  if (evens != SHMEM_TEAM_INVALID) shmem_long_max_reduce(evens, sum, data, 2);
  shmem_team_destroy(evens);
  long* lock = shmem_calloc(1, sizeof(long));
  shmem_set_lock(lock);
  shmem_clear_lock(lock);
  shmem_free(lock);
}

static const struct mistake mistakes[] = {{"right", right},
                                          {"reduce_beyond", reduce_beyond},
                                          {"nonblocking_beyond", nonblocking_beyond},
                                          {"collect_beyond", collect_beyond},
                                          {"overlap", overlap},
                                          {"alltoall_in_place", alltoall_in_place},
                                          {"variable_beyond", variable_beyond},
                                          {"p_beyond", p_beyond},
                                          {"put_beyond", put_beyond},
                                          {"g_freed", g_freed},
                                          {"atomic_freed", atomic_freed},
                                          {"signal_freed", signal_freed},
                                          {"iput_beyond", iput_beyond},
                                          {"wait_freed", wait_freed},
                                          {"realloc_shorter", realloc_shorter},
                                          {"put_null", put_null},
                                          {"put_one_null", put_one_null},
                                          {"get_null", get_null},
                                          {"not_symmetric", not_symmetric}};

int main(int argc, char** argv) {
  shmem_init();
  block = shmem_malloc(100);
  freed = shmem_malloc(100);
  shmem_free(freed);
  if (argc > 1 && !strcmp(argv[1], "realloc_shorter")) block = shmem_realloc(block, 10);
  return make_mistakes(mistakes, 6, LENGTH(mistakes), argc, argv);
}
