// OSHEN_CHECK finds uses of memory of a team towards a PE outside of the team, by such a PE, and in collectives of
// other teams. Memory of teams that overlap is no reason for a report.
// @extension
// @run pes=3,5 OSHEN_CHECK=1 right
// @run pes=3 OSHEN_CHECK=1 p -> fails /PE 1: shmem_long_p: dest = 0x.*: memory of a team of 2 PEs, and PE 2 is not one of them; expected/
//
// @run pes=3 OSHEN_CHECK=1 put -> fails /PE 1: shmem_long_put: dest = 0x.*: memory of a team of 2 PEs, and PE 2 is not/
// @run pes=3 OSHEN_CHECK=1 put_nbi -> fails /PE 1: shmem_putmem_nbi: dest = 0x.*: memory of a team of 2 PEs, and PE 2 is/
//
// @run pes=3 OSHEN_CHECK=1 iput -> fails /PE 1: shmem_long_iput: dest = 0x.*: memory of a team of 2 PEs, and PE 2 is not/
// @run pes=3 OSHEN_CHECK=1 g -> fails /PE 1: shmem_long_g: source = 0x.*: memory of a team of 2 PEs, and PE 2 is not/
//
// @run pes=3 OSHEN_CHECK=1 iget -> fails /PE 1: shmem_long_iget: source = 0x.*: memory of a team of 2 PEs, and PE 2 is/
// @run pes=3 OSHEN_CHECK=1 add -> fails /PE 1: shmem_long_atomic_add: dest = 0x.*: memory of a team of 2 PEs, and PE 2/
//
// @run pes=3 OSHEN_CHECK=1 fetch -> fails /PE 1: shmem_long_atomic_fetch: source = 0x.*: memory of a team of 2 PEs, and/
// @run pes=3 OSHEN_CHECK=1 fetch_nbi -> fails /PE 1: shmem_long_atomic_fetch_nbi: source = 0x.*: memory of a team of 2/
//
// @run pes=3 OSHEN_CHECK=1 signal -> fails /PE 1: shmem_putmem_signal: sig_addr = 0x.*: memory of a team of 2 PEs, and PE 2/
// @run pes=3 OSHEN_CHECK=1 signal_nbi -> fails /PE 1: shmem_putmem_signal_nbi: sig_addr = 0x.*: memory of a team of 2 PEs/
//
// @run pes=3 OSHEN_CHECK=1 on_context -> fails /PE 1: shmem_ctx_long_p: dest = 0x.*: memory of a team of 2 PEs, and PE 2/
// @run pes=3 OSHEN_CHECK=1 reduce -> fails /PE 1: shmem_long_sum_reduce: dest = 0x.*: memory of a team of 2 PEs, and PE 2/
//
// @run pes=3 OSHEN_CHECK=1 start_reduce -> fails /PE 1: shmemx_long_sum_reduce_nb: dest = 0x.*: memory of a team of 2 PEs/
// @run pes=3 OSHEN_CHECK=1 from_outside -> fails /PE 1: shmem_long_p: dest = 0x.*: heap \+ \d+ is in the team heap, where this PE has no block: .* belongs to a team without this PE/
//
// @run pes=3 from_outside_unopened -> fails /PE 1: shmem_long_p: dest = 0x.*: not a symmetric address of this PE: heap \+ \d+ lies/
#include <shmemx.h>

#include "bad_use.h"
#include "teams.h"

static shmem_team_t firsts, ends;  // PEs 0 and 1; PEs 0 and 2
static long *mine, *of_ends, *of_all, values[4], got[4];
static uint64_t signals;

static void p(void) { shmem_long_p(mine, 1, 2); }
static void put(void) { shmem_long_put(mine, values, 3, 2); }
static void put_nbi(void) { shmem_putmem_nbi(mine, values, 24, 2); }
static void iput(void) { shmem_long_iput(mine, values, 2, 1, 2, 2); }
static void g(void) { got[0] = shmem_long_g(mine, 2); }
static void iget(void) { shmem_long_iget(got, mine, 1, 2, 2, 2); }
static void add(void) { shmem_long_atomic_add(mine, 1, 2); }
static void fetch(void) { got[0] = shmem_long_atomic_fetch(mine, 2); }
static void fetch_nbi(void) { shmem_long_atomic_fetch_nbi(got, mine, 2); }
static void signal(void) { shmem_putmem_signal(of_all, values, 8, (uint64_t*)mine, 1, SHMEM_SIGNAL_SET, 2); }
static void signal_nbi(void) { shmem_putmem_signal_nbi(of_all, values, 8, (uint64_t*)mine, 1, SHMEM_SIGNAL_SET, 2); }
static void on_context(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  shmem_ctx_long_p(ctx, mine, 1, 2);
}
static void reduce(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, mine, values, 1); }
static void start_reduce(void) {
  shmemx_request_t request;
  shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, mine, values, 1, &request);
}
// The block of the other team, at the same distance from a block that all PEs have.
static void from_outside(void) {
  const long distance = shmem_long_g(&values[3], 0);
  shmem_long_p((long*)((char*)of_all + distance), 1, 0);
}

// Each PE of a team reaches the blocks of the other members, in two teams that overlap and in the world.
static void use(shmem_team_t team, long* block) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team), next = world_pe(team, (me + 1) % n);
  block[0] = block[1] = 0;
  shmem_team_sync(team);
  shmem_long_put(block, values + 1, 1, next);
  shmem_long_atomic_inc(block + 1, next);
  shmemx_team_barrier(team);
  CHECK(block[0] == values[1] && block[1] == 1 && shmem_long_g(block + 1, next) == 1, "%ld, %ld", block[0], block[1]);
  shmem_team_sync(team);
  block[0] = 1;
  shmem_team_sync(team);
  shmem_long_sum_reduce(team, block + 1, block, 1);
  CHECK(block[1] == n, "the sum is %ld", block[1]);
}
static int use_all(void) {
  values[1] = 7;
  use(SHMEM_TEAM_WORLD, of_all);
  if (firsts != SHMEM_TEAM_INVALID) use(firsts, mine);
  if (ends != SHMEM_TEAM_INVALID) use(ends, of_ends);
  if (firsts != SHMEM_TEAM_INVALID) shmem_putmem_signal(mine, values, 8, &signals, 1, SHMEM_SIGNAL_ADD, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(signals == 2, "%llu signals", (unsigned long long)signals);
  shmem_finalize();
  return 0;
}

static const struct mistake mistakes[] = {{"p", p},
                                          {"put", put},
                                          {"put_nbi", put_nbi},
                                          {"iput", iput},
                                          {"g", g},
                                          {"iget", iget},
                                          {"add", add},
                                          {"fetch", fetch},
                                          {"fetch_nbi", fetch_nbi},
                                          {"signal", signal},
                                          {"signal_nbi", signal_nbi},
                                          {"on_context", on_context},
                                          {"reduce", reduce},
                                          {"start_reduce", start_reduce},
                                          {"from_outside", from_outside},
                                          {"from_outside_unopened", from_outside}};

int main(int argc, char** argv) {
  shmem_init();
  of_all = shmem_malloc(4 * sizeof(long));
  firsts = world_split(0, 1, 2);
  ends = world_split(0, 2, 2);
  const int is_unopened = argc > 1 && strcmp(argv[1], "from_outside_unopened") == 0;
  if (firsts != SHMEM_TEAM_INVALID && !is_unopened) mine = shmemx_team_malloc(firsts, 4 * sizeof(long));
  if (ends != SHMEM_TEAM_INVALID) {
    of_ends = shmemx_team_malloc(ends, 4 * sizeof(long));
    values[3] = (char*)of_ends - (char*)of_all;
  }
  shmem_barrier_all();
  if (argc > 1 && strcmp(argv[1], "right") == 0) return use_all();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
