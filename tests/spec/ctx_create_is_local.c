// Creating a context is local: PE i creates i contexts, many at once, and destroys them in any order.
#include "check.h"

enum { most = 100 };

int main(void) {
  static int hits;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  static shmem_ctx_t ctx[most];
  const int count = me == 0 ? most : me;
  for (int i = 0; i < count; i++) CHECK(shmem_ctx_create(0, &ctx[i]) == 0, "context %d of %d", i, count);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) CHECK(ctx[i] != ctx[j], "contexts %d and %d are the same", i, j);
    shmem_ctx_int_atomic_inc(ctx[i], &hits, (me + 1) % n);
  }
  for (int i = 0; i < count; i += 2) shmem_ctx_destroy(ctx[i]);  // each completes its own increment
  for (int i = 1; i < count; i += 2) shmem_ctx_destroy(ctx[i]);
  shmem_barrier_all();
  const int left = (me + n - 1) % n, expected = left == 0 ? most : left;
  CHECK(hits == expected, "%d of %d increments", hits, expected);
  shmem_finalize();
  return 0;
}
