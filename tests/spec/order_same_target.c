// Puts to one PE, separated by fences, arrive in order: the last one wins, and a reader never sees
// an older value after a newer one.
// @races The reader polls with get while the writer puts.
#include "symmetric.h"

enum { bursts = 60, burst = 50 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* cell = memory_take(kind, sizeof(long));
    for (long b = 0; b < bursts; b++) {
      for (long i = 1; i <= burst; i++) {
        const long value = b * burst + i;
        if (i % 3 == 0)
          shmem_long_put(cell, &value, 1, right);
        else
          shmem_long_p(cell, value, right);
        shmem_fence();
      }
      long last = 0;
      while (last < (b + 1) * burst) {
        shmem_long_wait_until(cell, SHMEM_CMP_GT, last);
        const long now = shmem_long_g(cell, me);
        CHECK(now > last, "PE %d's values run backwards: %ld after %ld", left, now, last);
        last = now;
      }
      shmem_barrier_all();
      CHECK(*cell == (b + 1) * burst, "the last put did not win: %ld", *cell);
      shmem_barrier_all();
    }
    memory_give_back(kind, cell);
  }
  shmem_finalize();
  return 0;
}
