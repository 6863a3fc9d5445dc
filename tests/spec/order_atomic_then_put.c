// A fence orders an atomic operation without a result before a later put to the same PE, near or far: a PE that sees
// the put sees the operation, too.
#include "symmetric.h"

enum { rounds = 200 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* changes = memory_take(kind, (size_t)n * sizeof(long));
    long* flags = memory_take(kind, (size_t)n * sizeof(long));
    for (long r = 1; r <= rounds; r++) {
      for (int pe = 0; pe < n; pe++) {
        shmem_long_atomic_add(&changes[me], 1, pe);
        shmem_fence();
        shmem_long_p(&flags[me], r, pe);
      }
      for (int pe = 0; pe < n; pe++) {
        shmem_long_wait_until(&flags[pe], SHMEM_CMP_GE, r);
        const long seen = shmem_long_atomic_fetch(&changes[pe], me);
        CHECK(seen >= r, "round %ld: PE %d's put is here, but %ld of its changes", r, pe, seen);
      }
    }
    shmem_barrier_all();
    memory_give_back(kind, flags);
    memory_give_back(kind, changes);
  }
  shmem_finalize();
  return 0;
}
