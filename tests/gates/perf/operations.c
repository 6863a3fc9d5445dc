// The operations whose instructions are counted. PE 0 does each several times on PE 1. PE 0 runs under callgrind, which
// writes a part with the operation's name after each execution; PE 1 does not.
#include <shmem.h>
#include <stdint.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum { times = 5, meetings = 9, pause_before_meeting_ms = 100 };

static long target[64], source[64];
static uint64_t signal_word, sequence;
static long end;

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * 1000000};
  nanosleep(&t, NULL);
}

// Instructions since the last part are not counted for any part.
#define COUNT(name, operation)     \
  do {                             \
    CALLGRIND_ZERO_STATS;          \
    operation;                     \
    CALLGRIND_DUMP_STATS_AT(name); \
  } while (0)

static void count_operations(void) {
  const int pe = 1;
  const long one = 1;
  long got = 0;
  shmem_ctx_t ctx;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) shmem_global_exit(3);
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < times; ++i) {
    COUNT("put", shmem_long_put(target, source, 1, pe));
    COUNT("put_8", shmem_long_put(target, source, 8, pe));
    COUNT("putmem_64", shmem_putmem(target, source, 64, pe));
    COUNT("p", shmem_long_p(target, one, pe));
    COUNT("p_private", shmem_ctx_long_p(ctx, target, one, pe));
    COUNT("g", got += shmem_long_g(target, pe));
    COUNT("get", shmem_long_get(source, target, 1, pe));
    COUNT("fetch_add", got += shmem_long_atomic_fetch_add(target, one, pe));
    COUNT("atomic_set", shmem_long_atomic_set(target, one, pe));
    COUNT("fetch_add_private", got += shmem_ctx_long_atomic_fetch_add(ctx, target, one, pe));
    COUNT("compare_swap", got += shmem_long_atomic_compare_swap(target, one, one, pe));
    COUNT("fence", shmem_fence());
    COUNT("quiet", shmem_quiet());
    COUNT("quiet_private", shmem_ctx_quiet(ctx));
    COUNT("put_signal", shmem_long_put_signal(target, source, 1, &signal_word, 1, SHMEM_SIGNAL_SET, pe));
    COUNT("signal_fetch", got += (long)shmem_signal_fetch(&signal_word));
    COUNT("wait_until_met", shmem_uint64_wait_until(&sequence, SHMEM_CMP_EQ, 0));
    COUNT("test", got += shmem_uint64_test(&sequence, SHMEM_CMP_EQ, 0));
  }
  source[63] = got;
  shmem_ctx_destroy(ctx);
}

static void sum(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, target, source, 1); }
static void gather(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, target, source, 1); }

// PE 0 arrives last: while it pauses, PE 1 arrives and falls asleep. On a busy machine that may fail, but the median is
// right.
static void count_meeting(int me, const char* name, void (*meet)(void)) {
  shmem_barrier_all();
  for (int i = 0; i < meetings; ++i) {
    if (me == 1) {
      meet();
      continue;
    }
    pause_ms(pause_before_meeting_ms);
    COUNT(name, meet());
  }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (shmem_n_pes() != 2) shmem_global_exit(2);
  if (me == 0) {
    count_operations();
    shmem_long_p(&end, 1, 1);
  } else {
    while (shmem_long_g(&end, 1) == 0) pause_ms(1);  // sleeps elsewhere, so no PE has to wake it
  }
  count_meeting(me, "barrier_2", shmem_barrier_all);
  count_meeting(me, "sum_2", sum);
  count_meeting(me, "fcollect_2", gather);
  shmem_finalize();
  return 0;
}
