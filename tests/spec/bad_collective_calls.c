// Collective calls that differ between the PEs of a team. On one node small calls carry a signature beside their data,
// so the mistake always gives one line. OSHEN_CHECK compares all calls (check_collective_calls.c).
// @extension
// @single_node
// @run pes=2,3 reduce_sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = [42], but PE \d gives [42]: all PEs must give the same number/
// @run pes=2,3 operations -> fails /PE \d: shmem_int_(sum|max)_reduce: PE \d calls shmem_int_(sum|max)_reduce instead/
// @run pes=2,3 routines -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=3 collect_against_reduce -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=3 SHMEM_SYMMETRIC_SIZE=4M collect_no_room -> fails /shmem_collectmem: dest = 0x.*: 3000 bytes from there exceed the symmetric heap, of which 2000/
#include "bad_use.h"

static int there[1000], here[1000];
static int odd;

static void reduce_sizes(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, odd ? 2 : 4); }
static void operations(void) {
  if (odd)
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, there, here, 2);
  else
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, 2);
}
static void routines(void) {
  if (odd)
    shmem_fcollectmem(SHMEM_TEAM_WORLD, there, here, 1);
  else
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, 4);
}
static void collect_against_reduce(void) {
  if (odd)
    shmem_collectmem(SHMEM_TEAM_WORLD, there, here, 4);
  else
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, 1);
}
// There is room for two contributions, but not for three.
static void collect_no_room(void) {
  const size_t whole = 4 << 20;
  char* heap = shmem_malloc(whole);
  shmem_collectmem(SHMEM_TEAM_WORLD, heap + whole - 2000, here, 1000);
}

static const struct mistake mistakes[] = {{"reduce_sizes", reduce_sizes},
                                          {"operations", operations},
                                          {"routines", routines},
                                          {"collect_against_reduce", collect_against_reduce},
                                          {"collect_no_room", collect_no_room}};

int main(int argc, char** argv) {
  shmem_init();
  odd = shmem_my_pe() == 1;
  return make_mistakes(mistakes, LENGTH(mistakes), LENGTH(mistakes), argc, argv);
}
