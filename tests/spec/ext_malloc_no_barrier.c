// SHMEMX_MALLOC_NO_BARRIER and shmemx_free_no_barrier wait for no other PE, and blocks are symmetric all the same. A
// later call with a barrier finds out if PEs have made different calls.
// @extension
// @run pes=1,3,8
// @run pes=5 OSHEN_CHECK=1
// @run pes=1,3 SHMEM_SYMMETRIC_SIZE=4M refused -> ok /PE 0: shmem_malloc_with_hints: 8388608 bytes refused: no free block/
// @run pes=3 size -> fails /PE \d: shmem_malloc: call \d of the heap, but call \d of PE \d, or the calls without a barrier/
// @run pes=3 one_call_less -> fails /shmem_malloc: call \d of the heap, but call \d of PE \d, or the calls without a/
// @run pes=2 other_free -> fails /shmem_malloc: call \d of the heap, but call \d of PE \d, or the calls without a barrier/
// @run pes=2 free_twice -> fails /PE 1: shmemx_free_no_barrier: ptr = .*: not the start of a block from shmem_malloc, or/
// @run pes=2 inside -> fails /PE 1: shmemx_free_no_barrier: ptr = .*: not the start of a block from shmem_malloc, or/
#include <shmemx.h>

#include "bad_use.h"

enum { BLOCKS = 50 };
static long turn, offset, least, most;

// The PEs run `step` one after the other. With a barrier in it no PE would come to its end.
static void in_turn(void (*step)(void)) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if (me > 0) shmem_long_wait_until(&turn, SHMEM_CMP_NE, 0);
  step();
  if (me + 1 < n) shmem_long_p(&turn, 1, me + 1);
  shmem_barrier_all();
  turn = 0;
  shmem_barrier_all();
}

static long* take(size_t elements, long more_hints) {
  return shmem_malloc_with_hints(elements * sizeof(long), SHMEMX_MALLOC_NO_BARRIER | more_hints);
}

static long* block[BLOCKS];
static size_t elements_of(int i) { return (size_t)(1 + i * i % 700); }
static void allocate(void) {
  for (int i = 0; i < BLOCKS; i++) block[i] = take(elements_of(i), i % 7 == 0 ? SHMEM_MALLOC_SIGNAL_REMOTE : 0);
}
static void free_odd(void) {
  for (int i = 1; i < BLOCKS; i += 2) shmemx_free_no_barrier(block[i]);
}
static void allocate_odd(void) {
  for (int i = 1; i < BLOCKS; i += 2) block[i] = take(elements_of(i), 0);
}
static void free_all(void) {
  shmemx_free_no_barrier(NULL);
  for (int i = 0; i < BLOCKS; i++) shmemx_free_no_barrier(block[i]);
}

// Every block is at the same distance from the first one on all PEs, overlaps no other, and takes a neighbour's data.
static void check_blocks(long round) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < BLOCKS; i++) {
    CHECK(block[i] != NULL, "block %d", i);
    offset = (char*)block[i] - (char*)block[0];
    shmem_long_min_reduce(SHMEM_TEAM_WORLD, &least, &offset, 1);
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, &most, &offset, 1);
    CHECK(least == most, "block %d is at %ld to %ld", i, least, most);
  }
  for (int i = 0; i < BLOCKS; i++)
    for (size_t k = 0; k < elements_of(i); k++) shmem_long_p(&block[i][k], round + me * 100 + i, (me + 1) % n);
  shmem_barrier_all();
  for (int i = 0; i < BLOCKS; i++)
    for (size_t k = 0; k < elements_of(i); k++)
      CHECK(block[i][k] == round + (me + n - 1) % n * 100 + i, "block %d: %ld", i, block[i][k]);
  shmem_barrier_all();
}

static void check_all(void) {
  in_turn(allocate);
  check_blocks(1000);
  in_turn(free_odd);
  long* const with_barrier = shmem_malloc(400 * sizeof(long));
  in_turn(allocate_odd);
  check_blocks(5000);
  in_turn(free_all);
  shmem_free(with_barrier);
  shmemx_heap_info_t info;
  shmemx_heap_info(&info, sizeof info);
  CHECK(info.used == 0 && info.allocations == 0, "%zu bytes in %zu blocks remain", info.used, info.allocations);
  CHECK(shmem_malloc_with_hints(0, SHMEMX_MALLOC_NO_BARRIER) == NULL, "zero bytes");
}

static void take_too_much(void) { CHECK(take(1 << 20, 0) == NULL, "8 MiB of a heap of 4 MiB"); }
static void check_refusal(void) {
  in_turn(take_too_much);
  in_turn(take_too_much);
  long* const rest = take(1 << 18, 0);
  CHECK(rest != NULL, "2 MiB of a heap of 4 MiB");
  shmem_free(rest);
}

static int is_odd(void) { return shmem_my_pe() == 1; }
static void size(void) {
  take(is_odd() ? 10 : 11, 0);  // both take 128 bytes
  shmem_malloc(64);
}
static void one_call_less(void) {
  take(8, 0);
  if (is_odd()) take(8, 0);
  shmem_malloc(64);
}
static void other_free(void) {
  long* const both[] = {take(8, 0), take(8, 0)};
  shmemx_free_no_barrier(both[is_odd()]);
  shmem_malloc(64);
}
static void free_twice(void) {
  long* const mine = take(8, 0);
  shmemx_free_no_barrier(mine);
  if (is_odd()) shmemx_free_no_barrier(mine);
}
static void inside(void) {
  long* const mine = take(8, 0);
  if (is_odd()) shmemx_free_no_barrier(mine + 1);
}

static const struct mistake mistakes[] = {{"size", size},
                                          {"one_call_less", one_call_less},
                                          {"other_free", other_free},
                                          {"free_twice", free_twice},
                                          {"inside", inside}};

int main(int argc, char** argv) {
  shmem_init();
  if (argc > 1 && strcmp(argv[1], "refused") != 0)
    return make_mistakes(mistakes, LENGTH(mistakes), LENGTH(mistakes), argc, argv);
  if (argc > 1)
    check_refusal();
  else
    check_all();
  shmem_finalize();
  return 0;
}
