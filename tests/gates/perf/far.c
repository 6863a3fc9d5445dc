// The operations towards another node whose instructions are counted, over a network that takes no time
// (nodes/fabric_null). PE 0 does each several times on PE 1. PE 0 runs under callgrind, as for operations.c.
#include <shmem.h>
#include <stdint.h>
#include <valgrind/callgrind.h>

enum { times = 9, long_put = 512 };

static long data[8];

// Instructions since the last part are not counted for any part.
#define COUNT(name, operation)     \
  do {                             \
    CALLGRIND_ZERO_STATS;          \
    operation;                     \
    CALLGRIND_DUMP_STATS_AT(name); \
  } while (0)

// The first operation of a kind connects, asks for keys and resolves symbols. Each is made twice, and the second one is
// counted; nothing is open before it.
#define COUNT_SECOND(name, operation) \
  do {                                \
    operation;                        \
    shmem_quiet();                    \
    COUNT(name, operation);           \
    shmem_quiet();                    \
  } while (0)

static void count_operations(long* heap, long* source, uint64_t* signal) {
  const int pe = 1;
  volatile long seen = 0;
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < times; ++i) {
    COUNT_SECOND("p", shmem_long_p(heap, 1, pe));
    COUNT_SECOND("p_static", shmem_long_p(data, 1, pe));
    COUNT_SECOND("put", shmem_long_put(heap, source, 1, pe));
    COUNT_SECOND("putmem", shmem_putmem(heap, source, 24, pe));
    COUNT_SECOND("put_nbi", shmem_long_put_nbi(heap, source, 1, pe));
    COUNT_SECOND("put_nbi_4k", shmem_long_put_nbi(heap, source, long_put, pe));
    COUNT_SECOND("get", shmem_long_get(source, heap, 1, pe));
    COUNT_SECOND("get_nbi", shmem_long_get_nbi(source, heap, 1, pe));
    COUNT_SECOND("add", shmem_long_atomic_add(heap, 1, pe));
    COUNT_SECOND("set", shmem_long_atomic_set(heap, 1, pe));
    COUNT_SECOND("fetch_add", seen = shmem_long_atomic_fetch_add(heap, 1, pe));
    COUNT_SECOND("compare_swap", seen = shmem_long_atomic_compare_swap(heap, 1, 2, pe));
    COUNT_SECOND("put_signal", shmem_long_put_signal(heap, source, 1, signal, 1, SHMEM_SIGNAL_SET, pe));
    COUNT_SECOND("fence", shmem_fence());
    COUNT_SECOND("quiet_none", shmem_quiet());
    shmem_long_p(heap, 1, pe);
    COUNT("quiet_one", shmem_quiet());
  }
  CALLGRIND_STOP_INSTRUMENTATION;
  (void)seen;
}

#ifndef THREAD_LEVEL
#define THREAD_LEVEL SHMEM_THREAD_SINGLE
#endif

int main(void) {
  int provided = -1;
  if (shmem_init_thread(THREAD_LEVEL, &provided) != 0 || provided < THREAD_LEVEL) shmem_global_exit(2);
  if (shmem_n_pes() != 2) shmem_global_exit(2);
  long *heap = shmem_calloc(long_put, sizeof *heap), *source = shmem_calloc(long_put, sizeof *source);
  uint64_t* signal = shmem_calloc(1, sizeof *signal);
  if (shmem_my_pe() == 0) count_operations(heap, source, signal);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
