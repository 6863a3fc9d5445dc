// Signals without data: signal_set, signal_add (with and without context), signal_fetch,
// signal_wait_until.
// @since 1.6
#include "symmetric.h"

enum { rounds = 500 };

// SET replaces, ADD adds modulo 2^64; signal_fetch reads the local object.
static void check_values(uint64_t* signal, shmem_ctx_t ctx) {
  const int n = shmem_n_pes(), me = shmem_my_pe(), right = (me + 1) % n;
  *signal = 1;
  shmem_barrier_all();
  shmem_signal_set(signal, UINT64_MAX, right);
  CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_NE, 1) == UINT64_MAX, "set");
  shmem_barrier_all();
  shmem_signal_add(signal, 3, right);
  CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_LT, 9) == 2, "add wraps around");
  CHECK(shmem_signal_fetch(signal) == 2, "fetch");
  shmem_barrier_all();
  shmem_ctx_signal_set(ctx, signal, 70, right);
  CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_GE, 70) == 70, "ctx set");
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  shmem_ctx_signal_add(ctx, signal, 7, right);
  CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_GT, 70) == 77, "ctx add");
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

// ADD is atomic with other ADDs.
static void check_many_adders(uint64_t* signal) {
  const uint64_t total = (uint64_t)shmem_n_pes() * rounds;
  *signal = 0;
  shmem_barrier_all();
  for (int i = 0; i < rounds; i++) shmem_signal_add(signal, 1, 0);
  if (shmem_my_pe() == 0) {
    const uint64_t seen = shmem_signal_wait_until(signal, SHMEM_CMP_GE, total);
    CHECK(seen == total, "%llu of %llu", (unsigned long long)seen, (unsigned long long)total);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_ctx_t ctx;
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    uint64_t* signal = memory_take(kind, sizeof(uint64_t));
    check_values(signal, ctx);
    check_many_adders(signal);
    memory_give_back(kind, signal);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
