// An allocation of zero bytes gives null without a barrier. free(NULL) does nothing, without a barrier. realloc(NULL,
// n) is malloc, realloc(p, 0) is free.
// @since 1.5
#include "check.h"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  // Only one PE makes these calls, so that a barrier in any of them would hang the job.
  if (me == 0) {
    CHECK(shmem_malloc(0) == NULL, "malloc(0)");
    CHECK(shmem_calloc(0, 8) == NULL && shmem_calloc(8, 0) == NULL, "calloc of nothing");
    CHECK(shmem_align(64, 0) == NULL, "align of nothing");
    CHECK(shmem_malloc_with_hints(0, SHMEM_MALLOC_ATOMICS_REMOTE) == NULL, "hints");
    shmem_free(NULL);
    CHECK(shmem_realloc(NULL, 0) == NULL, "realloc of nothing to nothing");
  }
  int* block = shmem_realloc(NULL, 10 * sizeof(int));
  CHECK(block != NULL && shmem_addr_accessible(block, me), "realloc(NULL, n)");
  block[9] = me;
  shmem_barrier_all();
  const int right = (me + 1) % shmem_n_pes();
  CHECK(shmem_int_g(&block[9], right) == right, "the block is symmetric");
  shmem_barrier_all();
  CHECK(shmem_realloc(block, 0) == NULL, "realloc(p, 0)");
  shmem_finalize();
  return 0;
}
