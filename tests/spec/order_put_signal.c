// Litmus: the signal of put_signal follows its data at every size and on every path. A chain passes the data from PE to
// PE and back to the first.
// @since 1.5
#include "pattern.h"
#include "symmetric.h"

static const size_t sizes[] = {0, 1, 8, 63, 64, 65, 1025, 4097, 65537, (1 << 20) + 3};
enum { largest = (1 << 20) + 3, laps = 5 };

static void pass_on(unsigned char* data, uint64_t* signal, size_t bytes, uint64_t lap, int nonblocking) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  if (nonblocking) {
    shmem_putmem_signal_nbi(data, data, bytes, signal, lap, SHMEM_SIGNAL_SET, right);
    shmem_quiet();
  } else {
    shmem_putmem_signal(data, data, bytes, signal, lap, SHMEM_SIGNAL_SET, right);
  }
}

// The chain starts at PE 0; with one PE it would put onto itself, so that is left out.
static void check_chain(unsigned char* data, uint64_t* signal, int nonblocking) {
  const int me = shmem_my_pe();
  uint64_t lap = 0;
  *signal = 0;
  shmem_barrier_all();
  for (size_t s = 0; s < LENGTH(sizes); s++)
    for (int i = 0; i < laps; i++) {
      lap++;
      if (me == 0) {
        pattern_fill(data, sizes[s], (unsigned)lap);
        pass_on(data, signal, sizes[s], lap, nonblocking);
      }
      shmem_signal_wait_until(signal, SHMEM_CMP_EQ, lap);
      const size_t at = pattern_mismatch(data, sizes[s], (unsigned)lap);
      CHECK(at == sizes[s], "%zu bytes: signal before byte %zu", sizes[s], at);
      if (me != 0) pass_on(data, signal, sizes[s], lap, nonblocking);
    }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS && shmem_n_pes() > 1; kind++) {
    unsigned char* data = memory_take(kind, largest);
    uint64_t* signal = memory_take(kind, sizeof(uint64_t));
    check_chain(data, signal, 0);
    check_chain(data, signal, 1);
    memory_give_back(kind, signal);
    memory_give_back(kind, data);
  }
  shmem_finalize();
  return 0;
}
