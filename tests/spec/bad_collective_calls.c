// Collective calls that differ between the PEs of a team. Small calls carry a signature beside their data, so the
// mistake always gives one line. OSHEN_CHECK compares the other calls, also between nodes.
// @extension
// @single_node
// @run pes=2,3 reduce_sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = [42], but PE \d gives [42]: all PEs must give the same number/
// @run pes=2,3 operations -> fails /PE \d: shmem_int_(sum|max)_reduce: PE \d calls shmem_int_(sum|max)_reduce instead/
// @run pes=2,3 routines -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=3 collect_against_reduce -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=2,3 OSHEN_CHECK=1 reduce_sizes -> fails /shmem_int_sum_reduce: nelems = /
// @run pes=2,3 OSHEN_CHECK=1 roots -> fails /PE \d: shmem_broadcastmem: PE_root = [01], but PE \d gives [01]/
// @run pes=3 OSHEN_CHECK=1 large_sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = \d+, but PE \d gives \d+/
// @run pes=3 OSHEN_CHECK=1 large_routines -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=3 OSHEN_CHECK=1 OSHEN_NODE_PES=1 large_sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = \d+, but PE \d gives \d+/
// @run pes=3 OSHEN_CHECK=1 OSHEN_NODE_PES=1 large_routines -> fails /PE \d: shmem_\w+: PE \d calls shmem_\w+ instead/
// @run pes=2 OSHEN_CHECK=1 OSHEN_NODE_PES=1 roots -> fails /PE \d: shmem_broadcastmem: PE_root = [01], but PE \d gives [01]/
// @run pes=2,3 OSHEN_CHECK=1 barrier_against_broadcast -> fails /PE \d: shmem_\w+: PE \d calls shmem_(barrier_all|broadcastmem) instead/
// @run pes=3 SHMEM_SYMMETRIC_SIZE=4M collect_no_room -> fails /shmem_collectmem: dest = 0x.*: 3000 bytes from there exceed the symmetric heap, of which 2000/
#include "bad_use.h"

enum { many = 40000 };
static int there[many], here[many];
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
static void roots(void) { shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, 8, odd ? 1 : 0); }
static void large_sizes(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, odd ? many : many / 2); }
static void large_routines(void) {
  if (odd)
    shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, many, 0);
  else
    shmem_alltoallmem(SHMEM_TEAM_WORLD, there, here, many);
}
static void barrier_against_broadcast(void) {
  if (odd)
    shmem_barrier_all();
  else
    shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, 8, 0);
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
                                          {"roots", roots},
                                          {"large_sizes", large_sizes},
                                          {"large_routines", large_routines},
                                          {"barrier_against_broadcast", barrier_against_broadcast},
                                          {"collect_no_room", collect_no_room}};

int main(int argc, char** argv) {
  shmem_init();
  odd = shmem_my_pe() == 1;
  return make_mistakes(mistakes, LENGTH(mistakes), LENGTH(mistakes), argc, argv);
}
