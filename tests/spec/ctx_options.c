// SHMEM_CTX_CREATE with every combination of options: disjoint bits, each context works.
#include "check.h"

enum { rounds = 20 };

int main(void) {
  static const long bits[3] = {SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};
  static long cell[8];
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK((bits[0] & bits[1]) == 0 && (bits[0] & bits[2]) == 0 && (bits[1] & bits[2]) == 0, "bits overlap");
  for (int combination = 0; combination < 8; combination++) {
    long options = 0;
    for (int bit = 0; bit < 3; bit++)
      if (combination & (1 << bit)) options |= bits[bit];
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_ctx_create(options, &ctx) == 0 && ctx != SHMEM_CTX_INVALID, "options %lx", options);
    for (long i = 1; i <= rounds; i++) {
      shmem_ctx_long_p(ctx, &cell[combination], i, right);
      shmem_ctx_fence(ctx);
    }
    shmem_ctx_quiet(ctx);
    CHECK(shmem_ctx_long_g(ctx, &cell[combination], right) == rounds, "options %lx", options);
    shmem_ctx_destroy(ctx);
  }
  shmem_barrier_all();
  for (int i = 0; i < 8; i++) CHECK(cell[i] == rounds, "combination %d left %ld", i, cell[i]);
  shmem_finalize();
  return 0;
}
