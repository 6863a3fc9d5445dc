// Performance variables count operations and bytes by kind and PE, on a node and between nodes, between start and stop
// only. Contexts that are made meanwhile count too. The variables of the heap have values at any time.
// @extension
// @races The same objects serve for all operations, because the test counts them and reads no value.
// @run
// @run pes=2 OSHEN_CHECK=1
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { words = 100, most_pes = 8 };
static long cells[words], counter;
static uint64_t flag;

static uint64_t count(int pvar, int pe) { return shmemx_pvar_read(pvar, pe); }

static void expect(int pvar, int pe, uint64_t wanted) {
  char name[SHMEM_MAX_NAME_LEN];
  shmemx_pvar_get_name(pvar, name);
  CHECK(count(pvar, pe) == wanted, "%s of PE %d: %llu, not %llu", name, pe, (unsigned long long)count(pvar, pe),
        (unsigned long long)wanted);
}

// 2 puts of 8 bytes and one of 800, 1 get of 80, 1 put with signal of 16 bytes, 3 atomics.
static void operate(shmem_ctx_t ctx, int pe) {
  long got[words];
  shmem_ctx_long_p(ctx, &cells[0], 1, pe);
  shmem_ctx_long_put_nbi(ctx, &cells[1], got, 1, pe);
  shmem_ctx_long_put(ctx, cells, cells, words, pe);
  shmem_ctx_long_get(ctx, got, cells, 10, pe);
  shmem_ctx_long_put_signal(ctx, cells, got, 2, &flag, 1, SHMEM_SIGNAL_ADD, pe);
  shmem_ctx_long_atomic_inc(ctx, &counter, pe);
  shmem_ctx_long_atomic_fetch_add(ctx, &counter, 1, pe);
  shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &got[0], &counter, pe);
  shmem_ctx_quiet(ctx);
}

static void expect_operations(int pe, uint64_t times) {
  // Over a transport without put with signal it is a put and an atomic.
  const uint64_t signals = count(SHMEMX_PVAR_SIGNAL_OPERATIONS, pe), emulated = times - signals;
  CHECK(signals == times || signals == 0, "%llu signals", (unsigned long long)signals);
  expect(SHMEMX_PVAR_PUT_OPERATIONS, pe, 3 * times + emulated);
  expect(SHMEMX_PVAR_PUT_BYTES, pe, 816 * times + 16 * emulated);
  expect(SHMEMX_PVAR_GET_OPERATIONS, pe, times);
  expect(SHMEMX_PVAR_GET_BYTES, pe, 80 * times);
  expect(SHMEMX_PVAR_SIGNAL_BYTES, pe, 16 * signals);
  expect(SHMEMX_PVAR_ATOMIC_OPERATIONS, pe, 3 * times + emulated);
}

static void check_heap(void) {
  shmemx_heap_info_t info;
  void* const block = shmem_malloc(1000);
  shmemx_heap_info(&info, sizeof info);
  expect(SHMEMX_PVAR_HEAP_BYTES, SHMEMX_PVAR_ALL_PES, info.bytes);
  expect(SHMEMX_PVAR_HEAP_USED, SHMEMX_PVAR_ALL_PES, info.used);
  expect(SHMEMX_PVAR_HEAP_LARGEST_FREE, SHMEMX_PVAR_ALL_PES, info.largest_free);
  expect(SHMEMX_PVAR_HEAP_HIGH_WATER, SHMEMX_PVAR_ALL_PES, info.high_water);
  expect(SHMEMX_PVAR_HEAP_ALLOCATIONS, SHMEMX_PVAR_ALL_PES, info.allocations);
  shmem_free(block);
}

static void check_names(void) {
  CHECK(shmemx_pvar_num() == SHMEMX_PVAR_HEAP_ALLOCATIONS + 1, "%d variables", shmemx_pvar_num());
  for (int i = 0; i < shmemx_pvar_num(); i++)
    for (int k = 0; k < i; k++) {
      char one[SHMEM_MAX_NAME_LEN], other[SHMEM_MAX_NAME_LEN];
      shmemx_pvar_get_name(i, one), shmemx_pvar_get_name(k, other);
      CHECK(one[0] != '\0' && strcmp(one, other) != 0, "two are called %s", one);
    }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  if (n > most_pes) return 0;
  shmem_ctx_t before, during = SHMEM_CTX_INVALID;
  CHECK(shmem_ctx_create(0, &before) == 0, "no context");
  operate(SHMEM_CTX_DEFAULT, me);
  expect(SHMEMX_PVAR_PUT_OPERATIONS, SHMEMX_PVAR_ALL_PES, 0);
  shmem_barrier_all();
  for (uint64_t round = 1; round <= 2; round++) {  // each start begins at 0
    CHECK(shmemx_pvar_start() == 0, "no memory");
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &during) == 0, "no context");
    for (int pe = 0; pe < n; pe++) {
      operate(SHMEM_CTX_DEFAULT, pe);
      operate(before, pe);
      operate(during, pe);
      expect_operations(pe, 3);
    }
    expect(SHMEMX_PVAR_GET_OPERATIONS, SHMEMX_PVAR_ALL_PES, 3 * (uint64_t)n);
    shmemx_pvar_stop();
    operate(SHMEM_CTX_DEFAULT, n - 1);
    operate(before, n - 1);
    operate(during, n - 1);
    expect(SHMEMX_PVAR_GET_OPERATIONS, SHMEMX_PVAR_ALL_PES, 3 * (uint64_t)n);
    shmem_ctx_destroy(during);
  }
  shmem_barrier_all();
  CHECK(counter == 18 * n + 3 + (me == n - 1 ? 18 * n : 0), "%ld atomics", counter);
  check_heap();
  check_names();
  shmem_finalize();
  return 0;
}
