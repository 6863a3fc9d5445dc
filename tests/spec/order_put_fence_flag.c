// Litmus: put, fence, flag. A PE that sees the flag sees the data: blocking and non-blocking puts, small and large, on
// the default context and on others, and plain stores through shmem_ptr.
#include "pattern.h"
#include "symmetric.h"

enum { rounds = 300, most = 20000 };
static const size_t sizes[] = {8, 64, 1000, most};
enum method { PUT, PUT_NBI, CTX_PUT, STORE, METHODS };

static void send(enum method method, shmem_ctx_t ctx, unsigned char* dest, const unsigned char* source, size_t bytes,
                 long* flag, long round, int pe) {
  unsigned char* there = shmem_ptr(dest, pe);
  if (method == STORE && there)
    memcpy(there, source, bytes);
  else if (method == CTX_PUT)
    shmem_ctx_putmem(ctx, dest, source, bytes, pe);
  else if (method == PUT_NBI)
    shmem_putmem_nbi(dest, source, bytes, pe);
  else
    shmem_putmem(dest, source, bytes, pe);
  if (method == CTX_PUT) {
    shmem_ctx_fence(ctx);
    shmem_ctx_long_atomic_set(ctx, flag, round, pe);
  } else {
    shmem_fence();
    shmem_long_atomic_set(flag, round, pe);
  }
}

static void check_method(enum method method, shmem_ctx_t ctx, int kind) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  unsigned char* dest = memory_take(kind, most);
  long* flags = memory_take(kind, 128 * sizeof(long));
  long *arrived = &flags[0], *taken = &flags[64];
  unsigned char* source = malloc(most);
  for (long round = 1; round <= rounds; round++) {
    const size_t bytes = sizes[round % (long)LENGTH(sizes)];
    const unsigned seed = (unsigned)(me + 64 * round), their_seed = (unsigned)(left + 64 * round);
    pattern_fill(source, bytes, seed);
    send(method, ctx, dest, source, bytes, arrived, round, right);
    shmem_long_wait_until(arrived, SHMEM_CMP_GE, round);
    const size_t at = pattern_mismatch(dest, bytes, their_seed);
    CHECK(at == bytes, "method %d, round %ld: flag before byte %zu of %zu", (int)method, round, at, bytes);
    shmem_long_atomic_set(taken, round, left);
    shmem_long_wait_until(taken, SHMEM_CMP_GE, round);
    shmem_quiet();  // the next round rewrites the source of a nonblocking put
  }
  shmem_ctx_quiet(ctx);
  free(source);
  memory_give_back(kind, flags);
  memory_give_back(kind, dest);
}

int main(void) {
  shmem_ctx_t ctx;
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++)
    for (int method = 0; method < METHODS; method++) check_method((enum method)method, ctx, kind);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
