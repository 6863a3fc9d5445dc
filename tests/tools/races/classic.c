// Classic races of one-sided programs, and for each a twin that is right.
// usage: classic NAME wrong|right
#include <sched.h>
#include <shmemx.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { n = 64, rounds = 3, most_pes = 16 };
static long data[n], source[n], flag, counter, lock, blocks[n * most_pes];
static uint64_t arrived;
static int me, pes, last;
static bool right;

// A put, then a flag: a fence orders them.
static void nofence(int round) {
  if (me == 0) {
    shmem_long_put(data, source, n, last);
    if (right) shmem_fence();
    shmem_long_atomic_set(&flag, round, last);
  }
  if (me == last) {
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    source[0] = data[n - 1];
  }
}

// The source of a non-blocking put is in use until a quiet.
static void reuse(int round) {
  if (me != 0) return;
  shmem_long_put_nbi(data, source, n, last);
  if (right) shmem_quiet();
  source[round] = -1;
}

// A local quiet lets the source of a put change, and does not deliver the put.
static void localquiet(int round) {
  if (me == 0) {
    shmem_long_put_nbi(data, source, n, last);
    shmemx_quiet_local();
    source[round] = -1;
    if (right) shmem_quiet();
    shmem_long_atomic_set(&flag, round, last);
  }
  if (me == last) {
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    source[0] = data[n - 1];
  }
}

// A sync completes no puts.
static void sync_only(int round) {
  (void)round;
  if (me == 0) shmem_long_put(data, source, n, last);
  if (me == 0 && right) shmem_quiet();
  shmem_team_sync(SHMEM_TEAM_WORLD);
  if (me == last) source[0] = data[0];
}

// The dest of a non-blocking get is valid after a quiet.
static void getnbi(int round) {
  (void)round;
  if (me != 0) return;
  shmem_long_get_nbi(data, source, n, last);
  if (right) shmem_quiet();
  data[0] += 1;
}

// A PE that is ahead writes the next result into a dest that is still in use.
static void destinuse(int round) {
  (void)round;
  for (int i = 0; i < 2; ++i) {
    shmem_long_fcollect(SHMEM_TEAM_WORLD, blocks, source, n);
    memset(blocks, 0, sizeof blocks);
    if (right) shmem_sync_all();
  }
}

// The same with blocks of unequal lengths. The memory behind them is free.
static void collectuse(int round) {
  const size_t all = (size_t)(pes * (pes + 1)) / 2;
  for (int i = 0; i < 2; ++i) {
    blocks[all] = round;
    shmem_long_collect(SHMEM_TEAM_WORLD, blocks, source, (size_t)me + 1);
    memset(blocks, 0, all * sizeof *blocks);
    if (right) shmem_sync_all();
  }
}

// The source of a non-blocking collective is in use until it is complete.
static void nbsource(int round) {
  shmemx_request_t request;
  shmemx_long_fcollect_nb(SHMEM_TEAM_WORLD, blocks, source, n, &request);
  if (right) shmemx_coll_wait(&request);
  source[1] = round;
  if (!right) shmemx_coll_wait(&request);
}

// The dest of a neighborhood collective is valid when it is complete.
static void nbdest(int round) {
  static shmemx_graph_t ring;
  const shmemx_edge_t from = {.pe = (me + last) % pes, .displ = 0, .count = n};
  const shmemx_edge_t to = {.pe = (me + 1) % pes, .displ = 0, .count = n};
  if (round == 1) shmemx_graph_create(SHMEM_TEAM_WORLD, &from, 1, &to, 1, sizeof(long), 1, &ring);
  shmemx_graph_start(ring, blocks, source);
  if (right) shmemx_graph_wait(ring);
  data[0] = blocks[1];
  if (!right) shmemx_graph_wait(ring);
  if (round == rounds) shmemx_graph_destroy(ring);
}

// A fence orders for one target; a third PE needs a quiet.
static void third(int round) {
  if (me == 0) {
    shmem_long_put(data, source, n, 1);
    if (right)
      shmem_quiet();
    else
      shmem_fence();
    shmem_long_atomic_set(&flag, round, last);
  }
  if (me == last) {
    long copy[n];
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    shmem_long_get(copy, data, n, 1);
  }
}

// Two PEs put to one place.
static void twowriters(int round) {
  (void)round;
  for (int pe = 0; pe < last; ++pe) {
    if (me == pe) shmem_long_put(data, source, n, last);
    if (right) shmem_barrier_all();
  }
}

// A store after a load of the same word races with a get, although the load does not.
static void loadstore(int round) {
  (void)round;
  if (me == 0) data[0] += 1;
  if (right) shmem_sync_all();
  if (me == last) source[0] = shmem_long_g(data, 0);
}

// A counter that is read and written by separate operations.
static void nonatomic(int round) {
  (void)round;
  if (right) {
    shmem_long_atomic_inc(&counter, 0);
  } else {
    const long old = shmem_long_g(&counter, 0);
    shmem_long_p(&counter, old + 1, 0);
    shmem_quiet();
  }
}

// A broadcast tells the root nothing about the other PEs.
static void bcastbarrier(int round) {
  (void)round;
  if (me == last) {
    shmem_long_p(&flag, 1, 0);
    shmem_quiet();
  }
  if (right) shmem_sync_all();
  shmem_long_broadcast(SHMEM_TEAM_WORLD, data, source, 1, 0);
  if (me == 0) flag = 0;
}

// An update without the lock that protects it.
static void unlocked(int round) {
  (void)round;
  if (right || me != 0) shmem_set_lock(&lock);
  shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
  shmem_quiet();
  if (right || me != 0) shmem_clear_lock(&lock);
}

// A quiet completes the operations of its own context only.
static void context(int round) {
  static shmem_ctx_t ctx;
  if (round == 1 && shmem_ctx_create(0, &ctx) != 0) shmem_global_exit(3);
  if (me == 0) {
    shmem_ctx_long_put(ctx, data, source, n, last);
    if (right)
      shmem_ctx_quiet(ctx);
    else
      shmem_quiet();
    shmem_long_atomic_set(&flag, round, last);
  }
  if (me == last) {
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    source[0] = data[n - 1];
  }
  if (round == rounds) shmem_ctx_destroy(ctx);
}

// A non-blocking get on a context, completed by the quiet of another one.
static void contextget(int round) {
  static shmem_ctx_t ctx;
  if (round == 1 && shmem_ctx_create(0, &ctx) != 0) shmem_global_exit(3);
  if (me == 0) {
    shmem_ctx_long_get_nbi(ctx, data, source, n, last);
    if (right)
      shmem_ctx_quiet(ctx);
    else
      shmem_quiet();
    data[0] += 1;
  }
  if (round == rounds) shmem_ctx_destroy(ctx);
}

// Returns when the signal has this value, without a load that the detector sees.
__attribute__((noinline, no_sanitize("thread"))) static void come_late(uint64_t value) {
  while (*(volatile uint64_t*)&arrived < value) sched_yield();
}

// One buffer for a sender that may be one message ahead. The reader comes late: the next message has arrived, too, when
// it waits for one.
static void ahead(int round) {
  const long first = 10 * round;
  for (long k = first; k < first + 4; ++k) {
    if (me == 0) {
      if (k >= first + (right ? 1 : 2)) shmem_long_wait_until(&flag, SHMEM_CMP_GE, right ? k - 1 : k - 2);
      shmem_long_put_signal(data, source, n, &arrived, (uint64_t)k, SHMEM_SIGNAL_SET, last);
    }
    if (me == last) {
      if (!right && k < first + 3) come_late((uint64_t)k + 1);
      shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)k);
      source[0] = data[0];
      shmem_long_atomic_set(&flag, k, 0);
    }
  }
}

// Right, unless the data of a broadcast counts as no message: OSHEN_RACES_STRICT.
static void broadcast(int round) {
  if (me == 0) counter = round;
  shmem_long_broadcast(SHMEM_TEAM_WORLD, data, source, 1, 0);
  source[1] = shmem_long_g(&counter, 0);
}

// Right, unless a flag needs a fence after a store: OSHEN_RACES_STRICT.
static void stored(int round) {
  if (me == 0) {
    data[0] = round;
    shmem_long_atomic_set(&flag, round, last);
  }
  if (me == last) {
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    source[0] = shmem_long_g(data, 0);
  }
}

// Right in every form: extensions that tell all PEs of what was before.
static void extensions(int round) {
  size_t counts[most_pes], places[most_pes];
  for (int pe = 0; pe < pes; ++pe) counts[pe] = 1, places[pe] = (size_t)pe;
  shmemx_request_t request;
  counter = round;
  shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &request);
  shmemx_coll_wait_any(&request, 1);
  source[pes] = shmem_long_g(&counter, (me + 1) % pes);
  shmem_barrier_all();
  counter = 2 * round;
  shmemx_long_alltoallv(SHMEM_TEAM_WORLD, blocks, counts, places, source, counts, places);
  source[pes] += shmem_long_g(&counter, (me + 1) % pes);
  // In place; the source may be read meanwhile.
  shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, data, data, n, &request);
  while (!shmemx_coll_test(&request)) sched_yield();
  data[0] = 0;
  shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, blocks, source, n, 0, &request);
  data[0] += source[0];
  shmemx_coll_wait(&request);
  source[0] = blocks[0];
}

// Right in every form: data with a signal, an answer, the same buffers again.
static void signals(int round) {
  if (me == 0) {
    shmem_long_put_signal(data, source, n, &arrived, (uint64_t)round, SHMEM_SIGNAL_SET, last);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    source[1] = flag;
  }
  if (me == last && last != 0) {
    shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)round);
    source[0] = data[1];
    shmem_long_p(&flag, round, 0);
  }
}

static const struct {
  const char* name;
  void (*run)(int round);
} races[] = {{"nofence", nofence},       {"reuse", reuse},
             {"localquiet", localquiet}, {"sync", sync_only},
             {"getnbi", getnbi},         {"destinuse", destinuse},
             {"collectuse", collectuse}, {"nbsource", nbsource},
             {"nbdest", nbdest},         {"third", third},
             {"twowriters", twowriters}, {"nonatomic", nonatomic},
             {"loadstore", loadstore},   {"bcastbarrier", bcastbarrier},
             {"unlocked", unlocked},     {"context", context},
             {"contextget", contextget}, {"ahead", ahead},
             {"signals", signals},       {"broadcast", broadcast},
             {"stored", stored},         {"extensions", extensions}};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  right = strcmp(argv[2], "right") == 0;
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  last = pes - 1;
  int found = 0;
  for (size_t i = 0; i < sizeof races / sizeof races[0]; ++i) {
    if (strcmp(argv[1], races[i].name) != 0) continue;
    found = 1;
    for (int round = 1; round <= rounds; ++round) {
      races[i].run(round);
      shmem_barrier_all();
    }
  }
  if (me == 0) printf("%s\n", found ? "done" : "no such race");
  shmem_finalize();
  return found ? 0 : 2;
}
