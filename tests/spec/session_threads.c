// Threads start and stop sessions of a context while other threads of the PE use it. Sessions are hints, so every
// operation arrives once, and a quiet completes it.
// @since 1.6
// @races The dest of a put with signal and of a fetch is used again without an order, so that many are open at once.
#include <stdatomic.h>
#include <time.h>

#include "threads.h"

enum { rounds = 4000, words = 4 };
static const double seconds = 1.5;  // of the one PE that sends alone
static shmem_ctx_t ctx;
static atomic_int at_work;
static uint64_t arrived, sent, data[words];
static long counter, value;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int right_of(int pe) { return (pe + 1) % shmem_n_pes(); }

static void start_and_stop(void) {
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_session_stop(ctx);
}

static void send_signals(void) {
  const uint64_t mine[words] = {1, 2, 3, 4};
  for (int i = 0; i < rounds; i++, sent++)
    shmem_ctx_uint64_put_signal(ctx, data, mine, words, &arrived, 1, SHMEM_SIGNAL_ADD, right_of(shmem_my_pe()));
}

static void add_and_get(void) {
  static long old[words], got[words];
  const int right = right_of(shmem_my_pe());
  for (int i = 0; i < rounds; i++) {
    shmem_ctx_long_atomic_inc(ctx, &counter, right);
    shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old[i % words], &counter, 1, right);
    shmem_ctx_long_get_nbi(ctx, &got[i % words], &value, 1, right);
    if (i % 500 != 0) continue;
    shmem_ctx_quiet(ctx);
    CHECK(got[0] == -1, "got %ld", got[0]);
  }
}

// Thread 2 starts and stops sessions for as long as others work. Thread 0 does so at times, so that two threads start
// and stop a session at once.
static void work_of_one_pe(int number) {
  if (number == 0) {
    for (const double end = now() + seconds; now() < end;) send_signals();
    atomic_store(&at_work, 0);
  }
  while (number == 2 && atomic_load(&at_work) != 0) start_and_stop();
}

static void work_of_all(int number) {
  for (int part = 0; part < 4 && number < 2; part++) {
    if (number == 0) send_signals(), start_and_stop();
    if (number == 1) add_and_get();
  }
  if (number < 2) atomic_fetch_sub(&at_work, 1);
  while (number == 2 && atomic_load(&at_work) != 0) start_and_stop();
}

int main(void) {
  init_multiple();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  value = -1;
  atomic_store(&at_work, 1);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) run_threads(work_of_one_pe);
  shmem_barrier_all();
  atomic_store(&at_work, 2);
  run_threads(work_of_all);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  const uint64_t signals = shmem_uint64_g(&sent, (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes());
  CHECK(arrived == signals, "%llu of %llu signals", (unsigned long long)arrived, (unsigned long long)signals);
  CHECK(counter == 8L * rounds, "%ld of %ld increments", counter, 8L * rounds);
  CHECK(data[words - 1] == words, "the last word is %llu", (unsigned long long)data[words - 1]);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
