// Plain stores to one's own symmetric memory are visible to a peer's get after barrier_all, and
// after sync_all.
#include "symmetric.h"

enum { rounds = 300, count = 17 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* mine = memory_take(kind, count * sizeof(long));
    long theirs[count];
    for (long r = 0; r < rounds; r++) {
      for (int i = 0; i < count; i++) mine[i] = r * 100 + me + i;
      if (r % 2)
        shmem_barrier_all();
      else
        shmem_sync_all();
      shmem_long_get(theirs, mine, count, right);
      for (int i = 0; i < count; i++)
        CHECK(theirs[i] == r * 100 + right + i, "round %ld: element %d is %ld", r, i, theirs[i]);
      shmem_barrier_all();
    }
    memory_give_back(kind, mine);
  }
  shmem_finalize();
  return 0;
}
