// Atomics are ordered by fence like puts: data by put, count by a non-fetching atomic, many
// producers.
#include "symmetric.h"

enum { rounds = 150 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* slots = memory_take(kind, (size_t)n * sizeof(long));
    long* ready = memory_take(kind, sizeof(long));
    for (long r = 1; r <= rounds; r++) {
      for (int pe = 0; pe < n; pe++) shmem_long_p(&slots[me], r * 10 + me, pe);
      shmem_fence();
      for (int pe = 0; pe < n; pe++) shmem_long_atomic_inc(ready, pe);
      shmem_long_wait_until(ready, SHMEM_CMP_GE, r * n);
      for (int pe = 0; pe < n; pe++)
        CHECK(slots[pe] == r * 10 + pe, "round %ld: counted, but PE %d's data is %ld", r, pe, slots[pe]);
      shmem_barrier_all();
    }
    memory_give_back(kind, ready);
    memory_give_back(kind, slots);
  }
  shmem_finalize();
  return 0;
}
