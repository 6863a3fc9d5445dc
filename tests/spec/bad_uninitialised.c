// Calls before shmem_init, or after the last shmem_finalize, give a line that says so.
// @extension
// @run pes=1,2 put -> fails /shmem_int_put/ /initiali/
// @run pes=1,2 barrier -> fails /shmem_barrier_all/ /initiali/
// @run pes=1,2 malloc -> fails /shmem_malloc/ /initiali/
// @run pes=1,2 my_pe -> fails /shmem_my_pe/ /initiali/
//
// @run pes=1,2 atomic -> fails /shmem_long_atomic_add/ /initiali/
// @run pes=1,2 team -> fails /shmem_team_split_strided/ /initiali/
// @run pes=1,2 wait -> fails /shmem_long_wait_until/ /initiali/
// @run pes=1,2 lock -> fails /shmem_set_lock/ /initiali/
//
// @run pes=1,2 reduce -> fails /shmem_long_sum_reduce/ /initiali/
// @run pes=1,2 after_finalize -> fails /shmem_int_put/ /initiali/
// @run pes=1,2 finalize_first -> fails /shmem_finalize/ /initiali/
// @run pes=1,2 finalize_twice -> ok
#include "check.h"

static int cell, value;
static long flag = 1, result;

static void call(const char* name) {
  shmem_team_t team;
  if (!strcmp(name, "finalize_first")) shmem_finalize();
  if (!strcmp(name, "put")) shmem_int_put(&cell, &value, 1, 0);
  if (!strcmp(name, "barrier")) shmem_barrier_all();
  if (!strcmp(name, "malloc")) flag = shmem_malloc(8) != NULL;
  if (!strcmp(name, "my_pe")) flag = shmem_my_pe();
  if (!strcmp(name, "atomic")) shmem_long_atomic_add(&flag, 1, 0);
  if (!strcmp(name, "team")) shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
  if (!strcmp(name, "wait")) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  if (!strcmp(name, "lock")) shmem_set_lock(&flag);
  if (!strcmp(name, "reduce")) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &result, &flag, 1);
}

int main(int argc, char** argv) {
  if (argc < 2) return 0;
  call(argv[1]);
  shmem_init();
  shmem_finalize();
  if (!strcmp(argv[1], "finalize_twice")) shmem_finalize();
  if (!strcmp(argv[1], "after_finalize")) shmem_int_put(&cell, &value, 1, 0);
  printf("survived\n");
  return 0;
}
