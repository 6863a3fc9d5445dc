// The operations towards another node whose instructions are counted, over a network that takes no time
// (nodes/fabric_null). PE 0 does each several times on PE 1. PE 0 runs under callgrind, as for operations.c.
#include <shmem.h>
#include <stdint.h>
#include <valgrind/callgrind.h>

enum { times = 9, long_put = 512 };

static long data[8];

#ifdef CONTEXT_OPTIONS
static shmem_ctx_t ctx;
#define CALL(name, ...) shmem_ctx_##name(ctx, __VA_ARGS__)
#define FENCE() shmem_ctx_fence(ctx)
#define QUIET() shmem_ctx_quiet(ctx)
#else
#define CALL(name, ...) shmem_##name(__VA_ARGS__)
#define FENCE() shmem_fence()
#define QUIET() shmem_quiet()
#endif

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
    QUIET();                          \
    COUNT(name, operation);           \
    QUIET();                          \
  } while (0)

static void count_operations(long* heap, long* source, uint64_t* signal) {
  const int pe = 1;
  volatile long seen = 0;
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < times; ++i) {
    COUNT_SECOND("p", CALL(long_p, heap, 1, pe));
    COUNT_SECOND("p_static", CALL(long_p, data, 1, pe));
    COUNT_SECOND("put", CALL(long_put, heap, source, 1, pe));
    COUNT_SECOND("putmem", CALL(putmem, heap, source, 24, pe));
    COUNT_SECOND("put_nbi", CALL(long_put_nbi, heap, source, 1, pe));
    COUNT_SECOND("put_nbi_4k", CALL(long_put_nbi, heap, source, long_put, pe));
    COUNT_SECOND("get", CALL(long_get, source, heap, 1, pe));
    COUNT_SECOND("get_nbi", CALL(long_get_nbi, source, heap, 1, pe));
    COUNT_SECOND("add", CALL(long_atomic_add, heap, 1, pe));
    COUNT_SECOND("set", CALL(long_atomic_set, heap, 1, pe));
    COUNT_SECOND("fetch_add", seen = CALL(long_atomic_fetch_add, heap, 1, pe));
    COUNT_SECOND("compare_swap", seen = CALL(long_atomic_compare_swap, heap, 1, 2, pe));
    COUNT_SECOND("put_signal", CALL(long_put_signal, heap, source, 1, signal, 1, SHMEM_SIGNAL_SET, pe));
    COUNT_SECOND("fence", FENCE());
    COUNT_SECOND("quiet_none", QUIET());
    CALL(long_p, heap, 1, pe);
    COUNT("quiet_one", QUIET());
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
#ifdef CONTEXT_OPTIONS
  if (shmem_ctx_create(CONTEXT_OPTIONS, &ctx) != 0) shmem_global_exit(3);
#endif
  long *heap = shmem_calloc(long_put, sizeof *heap), *source = shmem_calloc(long_put, sizeof *source);
  uint64_t* signal = shmem_calloc(1, sizeof *signal);
  if (shmem_my_pe() == 0) count_operations(heap, source, signal);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
