// Null pointers are legal exactly when there is nothing to transfer.
#include "check.h"
#include "types.h"

#define TYPED(NAME, TYPE)                       \
  shmem_##NAME##_put(NULL, NULL, 0, pe);        \
  shmem_##NAME##_get(NULL, NULL, 0, pe);        \
  shmem_##NAME##_put_nbi(NULL, NULL, 0, pe);    \
  shmem_##NAME##_get_nbi(NULL, NULL, 0, pe);    \
  shmem_##NAME##_iput(NULL, NULL, 1, 1, 0, pe); \
  shmem_##NAME##_iget(NULL, NULL, 1, 1, 0, pe);

static void call_all_with_nothing(int pe) {
  STANDARD_RMA_TYPES(TYPED)
  shmem_putmem(NULL, NULL, 0, pe);
  shmem_getmem(NULL, NULL, 0, pe);
  shmem_putmem_nbi(NULL, NULL, 0, pe);
  shmem_getmem_nbi(NULL, NULL, 0, pe);
#if SPEC_AT_LEAST(1, 6)
  shmem_int_ibput(NULL, NULL, 1, 1, 1, 0, pe);
  shmem_int_ibget(NULL, NULL, 1, 1, 1, 0, pe);
  shmem_ibput64(NULL, NULL, 2, 2, 2, 0, pe);
#endif
}

int main(void) {
  static int canary = 4711;
  shmem_init();
  for (int pe = 0; pe < shmem_n_pes(); pe++) call_all_with_nothing(pe);
  // A transfer of no elements with valid addresses transfers nothing, either.
  shmem_int_put(&canary, NULL, 0, 0);
  shmem_barrier_all();
  CHECK(canary == 4711, "a transfer of nothing changed %d", canary);
  shmem_finalize();
  return 0;
}
