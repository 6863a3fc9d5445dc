// Many senders, one signal object: SIGNAL_ADD counts arrivals, and a full count means that all data has arrived.
// @since 1.5
#include "pattern.h"
#include "symmetric.h"

enum { rounds = 50, bytes = 777 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* inbox = memory_take(kind, (size_t)n * bytes);
    uint64_t* arrived = memory_take(kind, sizeof(uint64_t));
    unsigned char message[bytes];
    for (int round = 0; round < rounds; round++) {
      pattern_fill(message, bytes, (unsigned)(me + 100 * round));
      for (int pe = 0; pe < n; pe++)
        shmem_putmem_signal(inbox + me * bytes, message, bytes, arrived, 1, SHMEM_SIGNAL_ADD, pe);
      shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, (uint64_t)(n * (round + 1)));
      for (int pe = 0; pe < n; pe++) {
        const size_t at = pattern_mismatch(inbox + pe * bytes, bytes, (unsigned)(pe + 100 * round));
        CHECK(at == bytes, "round %d: byte %zu from PE %d is missing", round, at, pe);
      }
      shmem_barrier_all();
    }
    memory_give_back(kind, arrived);
    memory_give_back(kind, inbox);
  }
  shmem_finalize();
  return 0;
}
