// SHMEM_MALLOC_WITH_HINTS: any hint, known or not, gives usable memory; realloc and free work on
// it.
// @since 1.5
#include "check.h"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  const long hints[] = {0, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                        SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE, 1L << 40};
  CHECK((SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0, "hints are bits");
  for (size_t i = 0; i < LENGTH(hints); i++) {
    uint64_t* cell = shmem_malloc_with_hints(2 * sizeof(uint64_t), hints[i]);
    CHECK(cell != NULL, "hints %lx", hints[i]);
    cell[0] = cell[1] = 0;
    shmem_barrier_all();
    shmem_uint64_atomic_add(&cell[0], 5, right);
    shmem_putmem_signal(NULL, NULL, 0, &cell[1], 6, SHMEM_SIGNAL_SET, right);
    shmem_signal_wait_until(&cell[1], SHMEM_CMP_EQ, 6);
    shmem_barrier_all();
    CHECK(cell[0] == 5, "hints %lx: %llu", hints[i], (unsigned long long)cell[0]);
    cell = shmem_realloc(cell, 100 * sizeof(uint64_t));
    CHECK(cell[0] == 5 && cell[1] == 6, "realloc lost hinted memory's data");
    shmem_free(cell);
  }
  shmem_finalize();
  return 0;
}
