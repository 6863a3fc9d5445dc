// Litmus: after quiet, data is visible to every PE, not only to the target. PE a puts to b, calls quiet and signals c;
// c then gets the data from b and must find it.
#include "symmetric.h"

enum { rounds = 500, count = 33 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* data = memory_take(kind, (size_t)n * count * sizeof(long));
    long* told = memory_take(kind, (size_t)n * sizeof(long));
    for (long r = 1; r <= rounds; r++) {
      const int holder = (me + 1) % n, witness = (me + 2) % n;
      const int teller = (me + n - 2 % n) % n, their_holder = (teller + 1) % n;
      long message[count], seen[count];
      for (int i = 0; i < count; i++) message[i] = r * 1000 + me;
      if (r % 2)
        shmem_long_put(&data[me * count], message, count, holder);
      else
        shmem_long_put_nbi(&data[me * count], message, count, holder);
      shmem_quiet();
      shmem_long_atomic_set(&told[me], r, witness);
      shmem_long_wait_until(&told[teller], SHMEM_CMP_GE, r);
      shmem_long_get(seen, &data[teller * count], count, their_holder);
      for (int i = 0; i < count; i++)
        CHECK(seen[i] == r * 1000 + teller, "round %ld: element %d of PE %d's put is %ld", r, i, teller, seen[i]);
      shmem_barrier_all();
    }
    memory_give_back(kind, told);
    memory_give_back(kind, data);
  }
  shmem_finalize();
  return 0;
}
