// OSHEN_CHECK compares each collective call of a PE with that of a neighbour, on one node and between nodes. The last
// PE makes the different call. Calls that match are not reported.
// @extension
// @run pes=1,2,3,5 OSHEN_CHECK=1 right
// @run pes=2,3 OSHEN_CHECK=1 sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = [42], but PE \d gives [42]: all PEs must give the same number/
// @run pes=3 OSHEN_CHECK=1 large_sizes -> fails /PE \d: shmem_int_sum_reduce: nelems = \d+, but PE \d gives \d+/
// @run pes=2,3 OSHEN_CHECK=1 roots -> fails /PE \d: shmem_broadcastmem: PE_root = [01], but PE \d gives [01]/
// @run pes=3 OSHEN_CHECK=1 dests -> fails /PE \d: shmem_int_sum_reduce: dest: PE \d gives another object/
// @run pes=3 OSHEN_CHECK=1 operations -> fails /PE \d: shmem_int_(sum|max)_reduce: PE \d calls shmem_int_(sum|max)_reduce instead/
// @run pes=3 OSHEN_CHECK=1 large_routines -> fails /PE \d: shmem_(broadcast|alltoall)mem: PE \d calls shmem_(broadcast|alltoall)mem instead/
// @run pes=2,3 OSHEN_CHECK=1 barrier_against_broadcast -> fails /PE \d: shmem_\w+: PE \d calls shmem_(barrier_all|broadcastmem) instead/
// @run pes=2,3 OSHEN_CHECK=1 sync_against_barrier -> fails /PE \d: shmem_(sync|barrier)_all: PE \d calls shmem_(sync|barrier)_all instead/
// @run pes=3 OSHEN_CHECK=1 malloc_against_broadcast -> fails /PE \d: shmem_\w+: PE \d calls shmem_(malloc|broadcastmem) instead/
// @run pes=3 OSHEN_CHECK=1 finalize_against_broadcast -> fails /PE \d: shmem_\w+: PE \d calls shmem_(finalize|broadcastmem) instead/
// @run pes=3 OSHEN_CHECK=1 in_a_team -> fails /PE \d: shmem_broadcastmem: PE_root = [01], but PE \d gives [01]/
#include "check_calls.h"

enum { many = 40000, rounds = 40 };
static int there[many], here[many];

static void sizes(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, odd ? 2 : 4); }
static void large_sizes(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, odd ? many : many / 2); }
static void roots(void) { shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, 8, odd ? 1 : 0); }
static void dests(void) { shmem_int_sum_reduce(SHMEM_TEAM_WORLD, odd ? there : there + 4, here, 4); }
static void operations(void) {
  if (odd)
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, there, here, 2);
  else
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, 2);
}
static void broadcast(void) { shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, many, 0); }
static void large_routines(void) { odd ? broadcast() : (void)shmem_alltoallmem(SHMEM_TEAM_WORLD, there, here, many); }
static void barrier_against_broadcast(void) { odd ? shmem_barrier_all() : broadcast(); }
static void sync_against_barrier(void) { odd ? shmem_sync_all() : shmem_barrier_all(); }
static void malloc_against_broadcast(void) { odd ? (void)shmem_malloc(64) : broadcast(); }
static void finalize_against_broadcast(void) { odd ? shmem_finalize() : broadcast(); }

// The team has the PEs of the world in reverse order, so its PE 0 makes the different call.
static void in_a_team(void) {
  shmem_team_t reverse;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reverse);
  shmem_broadcastmem(reverse, there, here, 8, odd ? 1 : 0);
}

// Calls that match although their routines, sources or sizes differ, and more of them than there are flag slots.
static void right(void) {
  shmem_team_t evens = SHMEM_TEAM_INVALID;
  for (int round = 0; round < rounds; round++) {
    odd ? shmem_sync_all() : (void)shmem_team_sync(SHMEM_TEAM_WORLD);
    shmem_barrier_all();
    shmem_broadcastmem(SHMEM_TEAM_WORLD, there, odd ? here : here + 8, 8, round % n);
    shmem_int_collect(SHMEM_TEAM_WORLD, there, here, (size_t)((me + round) % 3));
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, there, here, round % 2 == 0 ? 1 : 2000);
    if (round % 8 != 0) continue;
    shmem_free(shmem_malloc(100));
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &evens);
    if (evens != SHMEM_TEAM_INVALID) shmem_int_max_reduce(evens, there, here, 2);
    shmem_team_destroy(evens);
  }
  if (!odd) shmem_finalize();  // the last PE finalises when main returns
}

static const struct mistake mistakes[] = {{"right", right},
                                          {"sizes", sizes},
                                          {"large_sizes", large_sizes},
                                          {"roots", roots},
                                          {"dests", dests},
                                          {"operations", operations},
                                          {"large_routines", large_routines},
                                          {"barrier_against_broadcast", barrier_against_broadcast},
                                          {"sync_against_barrier", sync_against_barrier},
                                          {"malloc_against_broadcast", malloc_against_broadcast},
                                          {"finalize_against_broadcast", finalize_against_broadcast},
                                          {"in_a_team", in_a_team}};

int main(int argc, char** argv) { return make_calls(mistakes, LENGTH(mistakes), NULL, argc, argv); }
