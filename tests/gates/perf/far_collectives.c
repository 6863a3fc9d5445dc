// The collectives between two nodes whose instructions are counted, over a network that takes no time
// (nodes/fabric_null). PE 0 arrives last: while it pauses, PE 1 arrives, sends its part and waits. PE 0 runs under
// callgrind, as for operations.c.
#include <shmem.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum { meetings = 9, warm_up = 3, pause_ms = 30, longest = 512 };

static long *dest, *source;

static void barrier(void) { shmem_barrier_all(); }
static void sync_all(void) { shmem_sync_all(); }
static void sum(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1); }
static void send_one(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 1, 0); }
static void receive_one(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 1, 1); }
static void send_4k(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, longest, 0); }
static void gather(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 1); }
static void gather_4k(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, longest); }
static void exchange(void) { shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, 1); }
static void exchange_4k(void) { shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, longest); }

// Of 16 broadcasts one begins with a sync (coll/call/sequence.cpp); the median leaves that one out.
static void count_meeting(const char* name, void (*meet)(void)) {
  const struct timespec pause = {.tv_nsec = pause_ms * 1000000};
  const int me = shmem_my_pe();
  shmem_sync_all();
  for (int i = 0; i < warm_up + meetings; ++i) {
    if (me == 0) nanosleep(&pause, NULL);
    if (me == 0) CALLGRIND_ZERO_STATS;
    meet();
    if (me == 0 && i >= warm_up) CALLGRIND_DUMP_STATS_AT(name);
    shmem_sync_all();
  }
}

int main(void) {
  shmem_init();
  if (shmem_n_pes() != 2) shmem_global_exit(2);
  dest = shmem_calloc(2 * longest, sizeof *dest);
  source = shmem_calloc(2 * longest, sizeof *source);
  CALLGRIND_START_INSTRUMENTATION;
  count_meeting("barrier", barrier);
  count_meeting("sync", sync_all);
  count_meeting("sum", sum);
  count_meeting("broadcast_root", send_one);
  count_meeting("broadcast", receive_one);
  count_meeting("broadcast_4k_root", send_4k);
  count_meeting("fcollect", gather);
  count_meeting("fcollect_4k", gather_4k);
  count_meeting("alltoall", exchange);
  count_meeting("alltoall_4k", exchange_4k);
  CALLGRIND_STOP_INSTRUMENTATION;
  shmem_finalize();
  return 0;
}
