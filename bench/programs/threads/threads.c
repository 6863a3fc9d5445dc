// The threads, the groups of messages, and the tables of cases.
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long threads_group;
static const thread_backend* library;
static pthread_t workers[most_threads];
static uint64_t turn, finished;  // groups handed out, shares finished
static bool closing;
static const thread_case* current;
static share shares[most_threads];
static int busy;  // threads that have a share in this turn

static void pause_thread(void) {
  sched_yield();  // there may be more threads than CPUs
}

// Workers wait for their turn; the master is thread 0.
static void* work(void* number) {
  const int me = (int)(intptr_t)number;
  for (uint64_t seen = 0;;) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == seen) pause_thread();
    ++seen;
    if (__atomic_load_n(&closing, __ATOMIC_ACQUIRE)) return NULL;
    if (me < busy) library->send(current, &shares[me]);
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
  }
}

static void send_group(const thread_case* c, long from, long last, int target, int side) {
  current = c;
  busy = c->threads;
  const int step = c->threads;
  for (int t = 0; t < step; ++t) {  // message n is of thread (n - 1) mod T, whatever the batch
    const long skipped = (t - from % step + step) % step;
    shares[t] = (share){t, target, side, from + skipped, last, step, c->pattern == lat};
  }
  if (c->threads == 1) {
    library->send(c, &shares[0]);
    return;
  }
  const uint64_t before = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
  __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
  library->send(c, &shares[0]);
  while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) != before + most_threads - 1) pause_thread();
}

bool threads_alone(void) {
  const char* level = getenv("BENCH_THREAD_LEVEL");
  return level != NULL && strcmp(level, "single") == 0;
}

unsigned char* threads_private(void) {
  unsigned char* const region = aligned_alloc(4096, region_bytes);
  if (region != NULL) memset(region, 1, region_bytes);
  return region;
}

// ---- senders and targets

int threads_half_partner(void) {
  const int half = bench_pes / 2;
  return bench_me >= 2 * half || half == 0 ? -1 : bench_me < half ? bench_me + half : bench_me - half;
}

bool threads_sends(const thread_case* c) {
  switch (c->pattern) {
    case lat:
    case bw:
    case rate_single: return bench_me == 0;
    case rate_pairs: return threads_half_partner() > bench_me;
    default: return c->pattern == rate_halo || threads_half_partner() >= 0;
  }
}

// The number of senders to this process.
int threads_senders(const thread_case* c) {
  switch (c->pattern) {
    case lat:
    case bw:
    case rate_single: return bench_pes > 1 && bench_me == bench_pes / 2 ? 1 : 0;
    case rate_pairs: return threads_half_partner() >= 0 && threads_half_partner() < bench_me ? 1 : 0;
    default: return c->pattern == rate_halo ? 2 : threads_half_partner() >= 0 ? 1 : 0;
  }
}

static void body(long first, long count) {
  const thread_case* c = (const thread_case*)(const void*)bench_current;
  for (long done = 0; done < count; done += threads_group) {
    const long from = first + done, last = first + (done + threads_group < count ? done + threads_group : count);
    if (threads_sends(c) && c->pattern == rate_halo) {
      send_group(c, from, last, (bench_me + 1) % bench_pes, 0);
      send_group(c, from, last, (bench_me + bench_pes - 1) % bench_pes, 1);
    } else if (threads_sends(c)) {
      send_group(c, from, last, threads_half_partner(), 0);
    }
    library->close_group(c, from, last, threads_sends(c), threads_senders(c));
  }
}

static void prepare(long size) {
  const thread_case* c = (const thread_case*)(const void*)bench_current;
  threads_group = bench_group;
  library->prepare(c, size);
}

static bool valid(long first, long count) {
  const thread_case* c = (const thread_case*)(const void*)bench_current;
  if (threads_sends(c) && !library->valid_sender(c, count)) return false;
  return threads_senders(c) == 0 || library->valid(c, first + count, c->pattern == rate_halo ? 2 : 1);
}

// ---- the cross product

static const long small[] = {8, 0}, large[] = {64 << 10, 64, 512, 4 << 10, 16 << 10, 0},
                  curve[] = {8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 0};
static const char* const patterns[] = {"mt_lat",           "mt_bw",       "mt_bibw", "mt_rate.single", "mt_rate.pairs",
                                       "mt_rate.allstart", "mt_rate.halo"};

static const long* sizes_of(const thread_case* c) {
  if (c->pattern == bw || c->pattern == bibw) return large;
  return c->pattern == lat && !library->one_word(c) ? curve : small;
}

static thread_case* make(int p, int op, int ctx, int sync, int threads) {
  thread_case* c = calloc(1, sizeof *c);
  if (c == NULL) abort();
  c->pattern = (pattern)p;
  c->operation = op;
  c->context = ctx;
  c->synchronisation = sync;
  c->threads = threads;
  char end[8];
  snprintf(end, sizeof end, threads_alone() ? "single" : "t%d", threads);
  snprintf(c->name, sizeof c->name, "%s.%s.%s.%s.%s", patterns[p], library->operations[op], library->contexts[ctx],
           library->synchronisations[sync], end);
  c->rows[0] = (bench_case){.name = c->name,
                            .how = c->name,
                            .prepare = prepare,
                            .body = body,
                            .valid = valid,
                            .mode = bench_everyone | bench_grouped | bench_assisted,
                            .sizes = sizes_of(c)};
  if (library->offers(c)) return c;
  free(c);
  return NULL;
}

BENCH_KINDS = {{"mt_lat.*", "threads", "latency with threads", .completion = "remote"},
               {"mt_bw.*", "threads", "bandwidth with threads", .streams = 1},
               {"mt_bibw.*", "threads", "bandwidth in both directions with threads", .streams = 2},
               {"mt_rate*", "threads", "message rate with threads", .completion = "remote"}};

void threads_open(const thread_backend* backend) {
  static const int counts[] = {1, 2, most_threads};
  library = backend;
  for (int p = 0; p <= rate_halo; ++p)
    for (int op = 0; backend->operations[op] != NULL; ++op)
      for (int ctx = 0; backend->contexts[ctx] != NULL; ++ctx)
        for (int sync = 0; backend->synchronisations[sync] != NULL; ++sync)
          for (int t = 0; t < (threads_alone() ? 1 : 3); ++t) {
            thread_case* c = make(p, op, ctx, sync, counts[t]);
            if (c != NULL) bench_register(bench_two_pes, c->rows);
          }
  for (intptr_t t = 1; t < most_threads && !threads_alone(); ++t)
    if (pthread_create(&workers[t], NULL, work, (void*)t) != 0) abort();
}

void threads_close(void) {
  __atomic_store_n(&closing, true, __ATOMIC_RELEASE);
  __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
  for (int t = 1; t < most_threads && !threads_alone(); ++t) pthread_join(workers[t], NULL);
}
