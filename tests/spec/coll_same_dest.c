// Sums follow one another into the same dest without a sync, and the program only reads dest. Each PE finds the
// complete result of its latest call there until it makes the next call.
// @since 1.6
// @run pes=2,3
// @run pes=5 OSHEN_CHAOS=3
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check.h"

static const size_t sizes[] = {8, 433, 8192, 16384, 65536, 200000, 1 << 20};

// A PE is late in some rounds, and checks dest before and after its delay.
static void dawdle(int round) {
  if ((round + shmem_my_pe()) % 4 == 0) nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = 200000}, NULL);
}

static void sum_again_and_again(long* dest, long* source, size_t n, int in_place) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  for (int round = 0; round < 30; round++) {
    for (size_t i = 0; i < n; i++) source[i] = me + 1 + round + (long)i;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, in_place ? source : dest, source, n) == 0, "sum");
    const long* result = in_place ? source : dest;
    for (int look = 0; look < 2; look++) {
      for (size_t i = 0; i < n; i++) {
        const long want = (long)pes * (pes + 1) / 2 + pes * (round + (long)i);
        CHECK(result[i] == want, "%zu elements, round %d, look %d: element %zu is %ld, expected %ld", n, round, look, i,
              result[i], want);
      }
      dawdle(round);
    }
  }
}

int main(void) {
  shmem_init();
  long *dest = shmem_malloc(1 << 20), *source = shmem_malloc(1 << 20);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int in_place = 0; in_place < 2; in_place++) {
      shmem_barrier_all();
      sum_again_and_again(dest, source, sizes[k] / sizeof *dest, in_place);
    }
  shmem_finalize();
  return 0;
}
