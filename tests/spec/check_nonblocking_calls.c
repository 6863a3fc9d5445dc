// OSHEN_CHECK compares each non-blocking collective of a PE with that of a neighbour, on one node and between nodes.
// The last PE makes the different call.
// @extension
// @run pes=1,2,3,5 OSHEN_CHECK=1 right
// @run pes=3 OSHEN_CHECK=1 OSHEN_PROGRESS=thread right
// @run pes=2,3 OSHEN_CHECK=1 sizes -> fails /PE \d: shmemx_int_sum_reduce_nb: nelems = [42], but PE \d gives [42]: all PEs must give the same number/
// @run pes=3 OSHEN_CHECK=1 large_sizes -> fails /PE \d: shmemx_int_sum_reduce_nb: nelems = \d+, but PE \d gives \d+/
// @run pes=2,3 OSHEN_CHECK=1 roots -> fails /PE \d: shmemx_broadcastmem_nb: PE_root = [01], but PE \d gives [01]: all PEs must give the same root/
// @run pes=3 OSHEN_CHECK=1 large_roots -> fails /PE \d: shmemx_broadcastmem_nb: PE_root = [01], but PE \d gives [01]/
// @run pes=3 OSHEN_CHECK=1 OSHEN_PROGRESS=thread roots -> fails /PE \d: shmemx_broadcastmem_nb: PE_root = [01], but PE \d gives [01]/
// @run pes=3 OSHEN_CHECK=1 dests -> fails /PE \d: shmemx_int_sum_reduce_nb: dest: PE \d gives another object/
// @run pes=2,3 OSHEN_CHECK=1 operations -> fails /PE \d: shmemx_int_(sum|max)_reduce_nb: PE \d calls shmemx_int_(sum|max)_reduce_nb instead/
// @run pes=3 OSHEN_CHECK=1 routines -> fails /PE \d: shmemx_(fcollect|alltoall)mem_nb: PE \d calls shmemx_(fcollect|alltoall)mem_nb instead/
// @run pes=3 OSHEN_CHECK=1 sync_against_reduce -> fails /PE \d: shmemx_\w+_nb: PE \d calls shmemx_(team_sync|int_sum_reduce)_nb instead/
// @run pes=3 OSHEN_CHECK=1 order -> fails /PE \d: shmemx_\w+_nb: PE \d calls shmemx_(broadcastmem|int_sum_reduce)_nb instead/
// @run pes=3 OSHEN_CHECK=1 in_a_team -> fails /PE \d: shmemx_broadcastmem_nb: PE_root = [01], but PE \d gives [01]/
#include <shmemx.h>

#include "check_calls.h"

enum { many = 40000, rounds = 40, most_pes = 8 };
static int there[most_pes * many], here[most_pes * many], sum[many], numbers[many];
static shmemx_request_t first = SHMEMX_REQUEST_INVALID, second = SHMEMX_REQUEST_INVALID;

static void reduce(int* dest, size_t nelems) {
  shmemx_int_sum_reduce_nb(SHMEM_TEAM_WORLD, dest, numbers, nelems, &first);
}
static void broadcast(shmem_team_t team, size_t bytes, int root) {
  shmemx_broadcastmem_nb(team, there, here, bytes, root, &second);
}

static void sizes(void) { reduce(sum, odd ? 2 : 4); }
static void large_sizes(void) { reduce(sum, odd ? many : many / 2); }
static void roots(void) { broadcast(SHMEM_TEAM_WORLD, 8, odd ? 1 : 0); }
static void large_roots(void) { broadcast(SHMEM_TEAM_WORLD, many, odd ? 1 : 0); }
static void dests(void) { reduce(odd ? sum : sum + 4, 4); }
static void operations(void) {
  if (odd)
    shmemx_int_max_reduce_nb(SHMEM_TEAM_WORLD, sum, numbers, 2, &first);
  else
    reduce(sum, 2);
}
static void routines(void) {
  if (odd)
    shmemx_alltoallmem_nb(SHMEM_TEAM_WORLD, there, here, 8, &first);
  else
    shmemx_fcollectmem_nb(SHMEM_TEAM_WORLD, there, here, 8, &first);
}
static void sync_against_reduce(void) { odd ? (void)shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &first) : reduce(sum, 2); }
static void order(void) {
  if (odd) reduce(sum, 2);
  broadcast(SHMEM_TEAM_WORLD, 8, 0);
  if (!odd) reduce(sum, 2);
}

// The team has the PEs of the world in reverse order, so its PE 0 makes the different call.
static void in_a_team(void) {
  shmem_team_t reverse;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reverse);
  broadcast(reverse, 8, odd ? 1 : 0);
}

static void wait_for_both(void) {
  shmemx_coll_wait(&first);
  shmemx_coll_wait(&second);
}

// Calls that match although their sources differ: more of them than there are request flags, two at a time, and of
// sizes below, at and above the data that a request flag holds.
static void right(void) {
  static const size_t lengths[] = {1, 2, 16, 17, 28, 29, many};
  for (int round = 0; round < rounds; round++) {
    const size_t length = lengths[(size_t)round % LENGTH(lengths)];
    const int root = round % n;
    for (size_t i = 0; i < length; i++) numbers[i] = me + (int)i, here[i] = 1000 * me + round;
    reduce(sum, length);
    broadcast(SHMEM_TEAM_WORLD, length * sizeof *here, root);
    wait_for_both();
    for (size_t i = 0; i < length; i++) {
      CHECK(sum[i] == n * (n - 1) / 2 + n * (int)i, "round %d: sum %d at %zu", round, sum[i], i);
      CHECK(there[i] == 1000 * root + round, "round %d: %d", round, there[i]);
    }
    shmem_barrier_all();
    shmemx_int_fcollect_nb(SHMEM_TEAM_WORLD, there, here, length, &first);
    shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &second);
    wait_for_both();
    for (int pe = 0; pe < n; pe++) CHECK(there[(size_t)pe * length] == 1000 * pe + round, "round %d, PE %d", round, pe);
    shmem_barrier_all();
  }
}

static const struct mistake mistakes[] = {{"right", right},
                                          {"sizes", sizes},
                                          {"large_sizes", large_sizes},
                                          {"roots", roots},
                                          {"large_roots", large_roots},
                                          {"dests", dests},
                                          {"operations", operations},
                                          {"routines", routines},
                                          {"sync_against_reduce", sync_against_reduce},
                                          {"order", order},
                                          {"in_a_team", in_a_team}};

int main(int argc, char** argv) { return make_calls(mistakes, LENGTH(mistakes), wait_for_both, argc, argv); }
