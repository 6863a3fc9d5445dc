// Counting puts and gets: a PE that sees a count sees the data of all counted puts; counts of PEs are their own.
// @extension
#include <shmemx.h>

#include "pattern.h"
#include "symmetric.h"

enum { rounds = 50, bytes = 3000 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  unsigned char* inbox = shmem_malloc(bytes);
  static unsigned char source[bytes], copy[bytes];
  shmemx_ct_t arrived, taken;
  shmemx_ct_create(&arrived);
  shmemx_ct_create(&taken);
  CHECK(arrived != NULL && taken != NULL, "no counter");
  CHECK(shmemx_ct_get(arrived) == 0, "a new counter has %ld", shmemx_ct_get(arrived));
  shmem_barrier_all();
  for (int round = 0; round < rounds; round++) {
    const size_t half = (size_t)(round * 7 % bytes);
    pattern_fill(source, bytes, (unsigned)(me + round));
    shmemx_putmem_ct(arrived, inbox, source, half, right);
    shmemx_putmem_ct(arrived, inbox + half, source + half, bytes - half, right);
    memset(source, 0, bytes);
    shmemx_ct_wait(arrived, 2 * (round + 1));
    const size_t wrong = pattern_mismatch(inbox, bytes, (unsigned)(left + round));
    CHECK(wrong == bytes, "round %d: byte %zu is wrong", round, wrong);
    shmem_barrier_all();
    shmemx_getmem_ct(taken, copy, inbox, bytes, right);
    CHECK(pattern_mismatch(copy, bytes, (unsigned)(me + round)) == bytes, "round %d: the copy is wrong", round);
    shmemx_ct_wait(taken, round + 1);
    memset(inbox, 0, bytes);
    shmem_barrier_all();
  }
  CHECK(shmemx_ct_get(arrived) == 2 * rounds && shmemx_ct_get(taken) == rounds, "%ld %ld", shmemx_ct_get(arrived),
        shmemx_ct_get(taken));
  shmemx_ct_set(taken, -5);
  CHECK(shmemx_ct_get(taken) == -5, "%ld after ct_set", shmemx_ct_get(taken));
  shmemx_ct_wait(taken, -7);
  shmem_barrier_all();
  shmemx_ct_free(&taken);
  shmemx_ct_free(&arrived);
  CHECK(arrived == NULL && taken == NULL, "a freed counter");
  const double before = shmemx_wtime(), after = shmemx_wtime();
  CHECK(before > 0 && after >= before, "wtime %g %g", before, after);
  shmem_finalize();
  CHECK(shmemx_wtime() >= after, "wtime after the end");
  return 0;
}
