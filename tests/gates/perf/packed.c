// The packed operations whose instructions are counted. PE 0 does each several times on PE 1 of another node, in a
// session whose pack is open. PE 0 runs under callgrind, as for operations.c.
#include <shmem.h>
#include <stdint.h>
#include <valgrind/callgrind.h>

enum { times = 9 };

static long target[64], source[64];

// Instructions since the last part are not counted for any part.
#define COUNT(name, operation)     \
  do {                             \
    CALLGRIND_ZERO_STATS;          \
    operation;                     \
    CALLGRIND_DUMP_STATS_AT(name); \
  } while (0)

// A pack leaves by age while callgrind writes a part, so each operation is made twice, and the second one is counted.
#define COUNT_SECOND(name, operation) \
  do {                                \
    operation;                        \
    COUNT(name, operation);           \
  } while (0)

static void count_operations(void) {
  const int pe = 1;
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < times; ++i) {
    COUNT_SECOND("add", shmem_long_atomic_add(target, 1, pe));
    COUNT_SECOND("inc", shmem_long_atomic_inc(target, pe));
    COUNT_SECOND("add_large", shmem_long_atomic_add(target, 1000000, pe));
    COUNT_SECOND("p", shmem_long_p(target, 1, pe));
    COUNT_SECOND("get_nbi", shmem_long_get_nbi(source, target, 1, pe));
  }
  CALLGRIND_STOP_INSTRUMENTATION;
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
}

int main(void) {
  shmem_init();
  if (shmem_n_pes() != 2) shmem_global_exit(2);
  if (shmem_my_pe() == 0) count_operations();
  shmem_finalize();
  return 0;
}
