// Programs for versions up to 1.4 signal by a put or p after a fence, not by atomics; waits must see these writes, too.
#include "pattern.h"
#include "symmetric.h"

enum { rounds = 200, bytes = 513 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* flag = memory_take(kind, sizeof(long));
    long* taken = memory_take(kind, sizeof(long));
    unsigned char* data = memory_take(kind, bytes);
    unsigned char message[bytes];
    for (long round = 1; round <= rounds; round++) {
      pattern_fill(message, bytes, (unsigned)(me + 1000 * round));
      shmem_putmem(data, message, bytes, right);
      shmem_fence();
      if (round % 2)
        shmem_long_p(flag, round, right);
      else
        shmem_long_put(flag, &round, 1, right);
      shmem_long_wait_until(flag, SHMEM_CMP_GE, round);
      const size_t at = pattern_mismatch(data, bytes, (unsigned)(left + 1000 * round));
      CHECK(at == bytes, "round %ld: flag seen before byte %zu", round, at);
      shmem_long_p(taken, round, left);  // the left neighbour may overwrite now
      shmem_long_wait_until(taken, SHMEM_CMP_GE, round);
    }
    memory_give_back(kind, data);
    memory_give_back(kind, taken);
    memory_give_back(kind, flag);
  }
  shmem_finalize();
  return 0;
}
