// Memory of teams: the members of a team alone allocate it, and use it for puts, atomics and collectives. Overlapping
// teams have blocks at the same time, and the blocks of shmem_malloc stay symmetric over all PEs.
// @extension
// @run pes=1,3,8
// @run pes=5 OSHEN_CHECK=1
// @run pes=1,3,7 SHMEM_SYMMETRIC_SIZE=4M refused -> ok /shmemx_team_malloc: 8388608 bytes refused: no range of that size is/
// @run pes=3 no_member -> fails /PE 1: shmemx_team_malloc: team = .*: not a team, or already destroyed \(SHMEM_TEAM_INVALID/
// @run pes=3 other_team -> fails /PE 1: shmemx_team_free: ptr = .*: a block of another team; expected the team that/
// @run pes=3 free_twice -> fails /PE 1: shmemx_team_free: ptr = .*: not the start of a block from shmemx_team_malloc, or/
// @run pes=3 by_shmem_free -> fails /PE \d: shmem_free: ptr = .*: a block of a team; only shmemx_team_free frees it/
// @run pes=3 alignment -> fails /PE \d: shmemx_team_align: alignment = 48: expected a power of two from 1 to 2097152/
// @run pes=3 size -> fails /PE \d: shmemx_team_malloc: size: the PEs of the team give 8 to 16: all of them must give/
// @run pes=3 other_block -> fails /PE \d: shmemx_team_free: ptr: the PEs of the team give heap \+ \d+ to heap \+ \d+:/
// @run pes=3 other_call -> fails /PE \d: shmemx_team_(free|calloc): other PEs of the team call another routine of its/
// @run pes=3 lock -> fails /PE \d: shmem_set_lock: lock = .*: memory of a team; expected an object that all PEs have/
// @run pes=2 behind_heap SHMEM_SYMMETRIC_SIZE=1M -> fails /PE 1: shmem_long_p: dest = .*: not a symmetric address of this PE/
// @run pes=3 OSHEN_CHECK=1 behind_block -> fails /PE 1: shmem_long_p: dest = .*: heap \+ \d+ is in the team heap, where/
#include <shmemx.h>

#include "bad_use.h"
#include "teams.h"

static size_t used(void) {
  shmemx_heap_info_t info;
  CHECK(shmemx_heap_info(&info, sizeof info) == 0, "heap_info");
  return info.team_used;
}

// ---- one team -----------------------------------------------------------------------------------------------------

// The block of a PE is at the same distance from a block of shmem_malloc on all members. Teams that are not in step and
// have a common member use different slots.
static long* world_block;
static void check_symmetry(shmem_team_t team, int slot, void* block) {
  static long distances[3], lowest[3], highest[3];
  CHECK(block != NULL, "no memory");
  distances[slot] = (char*)block - (char*)world_block;
  shmem_long_min_reduce(team, &lowest[slot], &distances[slot], 1);
  shmem_long_max_reduce(team, &highest[slot], &distances[slot], 1);
  CHECK(lowest[slot] == highest[slot], "the block is at %ld to %ld", lowest[slot], highest[slot]);
  shmem_team_sync(team);
}

static void check_one_sided(shmem_team_t team, long* block) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const int right = world_pe(team, (me + 1) % n), left = (me + n - 1) % n;
  long mine[3] = {me, 10 * me, 100 * me}, got[3];
  for (int i = 0; i < 4; i++) block[i] = 0;
  shmem_team_sync(team);
  shmem_long_put_nbi(block, mine, 3, right);
  shmem_long_atomic_add(block + 3, 1 + me, world_pe(team, 0));
  shmemx_team_barrier(team);
  CHECK(block[0] == left && block[2] == 100 * left, "put: %ld and %ld", block[0], block[2]);
  if (me == 0) CHECK(block[3] == n * (n + 1) / 2, "atomic: %ld", block[3]);
  shmem_long_get(got, block, 3, right);
  CHECK(got[1] == 10 * me, "get: %ld", got[1]);
  if (shmem_ptr(block, right) != NULL) CHECK(*(long*)shmem_ptr(block, right) == me, "ptr");
  shmem_team_sync(team);
  shmem_ctx_t ctx;
  CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0, "no context");
  shmem_ctx_long_p(ctx, block, -me, (me + 1) % n);
  shmem_ctx_quiet(ctx);
  shmem_ctx_destroy(ctx);
  shmem_team_sync(team);
  CHECK(block[0] == -left, "p on a context: %ld", block[0]);
  shmem_team_sync(team);
}

static void check_collectives(shmem_team_t team, long* block) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  long* const all = shmemx_team_calloc(team, (size_t)n, sizeof(long));
  for (int i = 0; i < n; i++) CHECK(all[i] == 0, "calloc: %ld", all[i]);
  block[0] = me;
  shmem_team_sync(team);
  shmem_long_fcollect(team, all, block, 1);
  for (int i = 0; i < n; i++) CHECK(all[i] == i, "fcollect: %ld", all[i]);
  shmem_long_sum_reduce(team, block + 1, block, 1);
  CHECK(block[1] == n * (n - 1) / 2, "sum: %ld", block[1]);
  block[2] = me;
  shmem_team_sync(team);
  shmem_long_broadcast(team, block + 3, block + 2, 1, n - 1);
  shmem_team_sync(team);
  CHECK(block[3] == n - 1, "broadcast: %ld", block[3]);
  for (int i = 0; i < n; i++) all[i] = 77;
  shmemx_team_free(team, all);
}

static void check_team(shmem_team_t team, const char* shape) {
  const size_t before = used();
  char* const odd = shmemx_team_malloc(team, 17);
  long* const block = shmemx_team_malloc(team, 100 * sizeof(long));
  char* const page = shmemx_team_align(team, 4096, 5000);
  check_symmetry(team, 0, odd);
  check_symmetry(team, 0, block);
  check_symmetry(team, 0, page);
  CHECK((uintptr_t)page % 4096 == 0 && (uintptr_t)block % 64 == 0, "%s: %p, %p", shape, (void*)page, (void*)block);
  check_one_sided(team, block);
  check_collectives(team, block);
  shmemx_team_free(team, odd);
  shmemx_team_free(team, page);
  shmemx_team_free(team, block);
  shmemx_team_free(team, NULL);
  CHECK(shmemx_team_malloc(team, 0) == NULL && shmemx_team_calloc(team, 0, 8) == NULL, "zero bytes");
  CHECK(used() == before, "%s: %zu bytes remain", shape, used() - before);
}

// ---- overlapping teams --------------------------------------------------------------------------------------------

// Every PE is in a team with each neighbour, and their blocks are mixed. No block overlaps another one on its PE.
enum { ROUNDS = 12 };
static shmem_team_t pair_with(int first) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const int pes[] = {first, (first + 1) % shmem_n_pes()};
  CHECK(shmemx_team_create_from_list(pes, 2, &team) == 0, "no team");
  return team;
}

static void fill(long* block, int count, long value) {
  for (int i = 0; i < count; i++) block[i] = value;
}

static void check_pairs(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), left = (me + n - 1) % n;
  if (n < 3) return;
  // Even PEs begin with the team of their right neighbour; where n is odd, the last PE waits for both.
  shmem_team_t team[2];
  const int first = me % 2 == 0 && me != n - 1 ? 0 : 1;
  for (int i = 0; i < 2; i++) team[(first + i) % 2] = pair_with((first + i) % 2 == 0 ? me : left);
  long* block[2][ROUNDS];
  for (int i = 0; i < 2; i++) {
    const int which = (first + i) % 2, owner = which == 0 ? me : left;
    for (int k = 0; k < ROUNDS; k++) {
      const int count = 1 + (owner * 37 + k * 101) % 300;
      block[which][k] = shmemx_team_malloc(team[which], (size_t)count * sizeof(long));
      check_symmetry(team[which], owner == n - 1 ? 2 : owner % 2, block[which][k]);
      fill(block[which][k], count, 1000 * owner + k);
    }
    for (int k = 0; k < ROUNDS; k += 3) shmemx_team_free(team[which], block[which][k]);
  }
  for (int i = 0; i < 2; i++) {
    const int which = (first + i) % 2, owner = which == 0 ? me : left;
    for (int k = 0; k < ROUNDS; k++) {
      if (k % 3 == 0) continue;
      const int count = 1 + (owner * 37 + k * 101) % 300;
      for (int at = 0; at < count; at++)
        CHECK(block[which][k][at] == 1000 * owner + k, "block %d of PE %d: %ld", k, owner, block[which][k][at]);
      if (k % 3 == 1) shmemx_team_free(team[which], block[which][k]);
    }
    shmem_team_destroy(team[which]);  // with a third of the blocks
  }
}

// Memory that all PEs allocate afterwards has the same distance from earlier memory everywhere.
static void check_world(void) {
  long* const later = shmem_malloc(1000 * sizeof(long));
  check_symmetry(SHMEM_TEAM_WORLD, 0, later);
  check_one_sided(SHMEM_TEAM_WORLD, later);
  shmem_free(later);
}

// Only PE 0 allocates, and tells the others when it is done.
static void check_alone(void) {
  static long done;
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int pes[] = {0};
  if (me == 0) {
    shmem_team_t alone;
    CHECK(shmemx_team_create_from_list(pes, 1, &alone) == 0, "no team");
    char* const block = shmemx_team_malloc(alone, 100000);
    CHECK(block != NULL, "no memory");
    memset(block, 1, 100000);
    for (int pe = 1; pe < n; pe++) shmem_long_p(&done, 1, pe);
    check_world();
    CHECK(used() >= 100000, "%zu bytes", used());
    shmem_team_destroy(alone);
    CHECK(used() == 0, "%zu bytes of a destroyed team", used());
  } else {
    shmem_long_wait_until(&done, SHMEM_CMP_EQ, 1);
    CHECK(used() == 0, "%zu bytes on a PE that is no member", used());
    check_world();
  }
}

// ---- refusals -----------------------------------------------------------------------------------------------------

// The team heap has 64 MiB. The last PE uses most of its own, so that teams with it get no 8 MiB, and the others do.
static void check_refusals(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t last = world_split(n - 1, 1, 1), others = n > 1 ? world_split(0, 1, n - 1) : SHMEM_TEAM_INVALID;
  char* mine = NULL;
  if (me == n - 1) mine = shmemx_team_malloc(last, 60 << 20);
  const size_t before = used();
  for (int i = 0; i < 3; i++) {
    CHECK(shmemx_team_malloc(SHMEM_TEAM_WORLD, 8 << 20) == NULL, "8 MiB of 4 MiB");
    CHECK(shmemx_team_malloc(SHMEM_TEAM_WORLD, SIZE_MAX) == NULL, "all addresses");
    CHECK(shmemx_team_calloc(SHMEM_TEAM_WORLD, SIZE_MAX / 4, 8) == NULL, "more than all addresses");
    CHECK(used() == before, "a refusal takes %zu bytes", used() - before);
  }
  char* const fits = shmemx_team_malloc(SHMEM_TEAM_WORLD, 1 << 20);
  check_symmetry(SHMEM_TEAM_WORLD, 0, fits);
  if (others != SHMEM_TEAM_INVALID) {
    CHECK(shmemx_team_malloc(others, 40 << 20) != NULL, "40 MiB on the others");
    shmem_team_destroy(others);
  }
  shmemx_team_free(SHMEM_TEAM_WORLD, fits);
  if (me == n - 1) shmemx_team_free(last, mine);
  check_symmetry(SHMEM_TEAM_WORLD, 0, shmemx_team_malloc(SHMEM_TEAM_WORLD, 8 << 20));
}

// ---- mistakes -----------------------------------------------------------------------------------------------------

static shmem_team_t some, copy;
static long *first_block, *second_block;
static int is_odd(void) { return shmem_my_pe() == 1; }

static void no_member(void) { shmemx_team_malloc(SHMEM_TEAM_INVALID, 8); }
static void other_team(void) { shmemx_team_free(copy, first_block); }
static void by_shmem_free(void) { shmem_free(first_block); }
static void alignment(void) { shmemx_team_align(some, 48, 8); }
static void lock(void) { shmem_set_lock(second_block); }
static void behind_block(void) { shmem_long_p(second_block + 4, 1, 0); }
static void free_twice(void) {
  shmemx_team_free(some, first_block);
  if (is_odd()) shmemx_team_free(some, first_block);
}
static void size(void) { shmemx_team_malloc(some, is_odd() ? 16 : 8); }
static void other_block(void) { shmemx_team_free(some, is_odd() ? first_block : second_block); }
static void other_call(void) {
  if (is_odd())
    shmemx_team_free(some, first_block);
  else
    shmemx_team_calloc(some, 1, 8);
}
static void behind_heap(void) { shmem_long_p(world_block + (1 << 20) / sizeof(long), 1, 0); }

static const struct mistake mistakes[] = {{"free_twice", free_twice},
                                          {"size", size},
                                          {"other_block", other_block},
                                          {"other_call", other_call},
                                          {"no_member", no_member},
                                          {"other_team", other_team},
                                          {"alignment", alignment},
                                          {"by_shmem_free", by_shmem_free},
                                          {"lock", lock},
                                          {"behind_block", behind_block},
                                          {"behind_heap", behind_heap}};

static int make_one(int argc, char** argv) {
  if (strcmp(argv[1], "behind_heap") != 0) {  // that one is about programs without memory of teams
    some = world_split(0, 1, shmem_n_pes());
    copy = world_split(0, 1, shmem_n_pes());
    first_block = shmemx_team_calloc(some, 4, sizeof(long));
    second_block = shmemx_team_calloc(some, 4, sizeof(long));
  }
  return make_mistakes(mistakes, 4, LENGTH(mistakes), argc, argv);
}

int main(int argc, char** argv) {
  shmem_init();
  world_block = shmem_malloc(sizeof(long));
  if (argc > 1 && strcmp(argv[1], "refused") != 0) return make_one(argc, argv);
  if (argc > 1) {
    check_refusals();
  } else {
    for_each_team(check_team);
    check_alone();
    check_pairs();
    check_world();
  }
  shmem_finalize();
  return 0;
}
