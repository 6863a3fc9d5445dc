// When shmemx_quiet_local returns, the sources of earlier nonblocking puts belong to the caller again, however many of
// them wait for a slow target. It needs nothing of the target, it covers one context, and the puts still arrive.
// @extension
#include <shmemx.h>
#include <unistd.h>

#include "pattern.h"
#include "stopped.h"
#include "symmetric.h"
#include "threads.h"

enum { n_puts = 100, thread_rounds = 3, thread_bytes = 1000, arena = n_puts * 8192 };

static shmem_ctx_t own;
static int me, n;
static long target_pid, word;
static unsigned char* inbox;  // for each thread, `arena` bytes
static uint64_t* arrived;     // for each thread
static unsigned char source[thread_count][arena];

struct series {
  int thread, round;
  size_t first, bytes;  // offset of the first put in `inbox` and `source`; bytes of each
};

static size_t count(struct series s) { return s.bytes * n_puts <= arena ? n_puts : arena / s.bytes; }
static unsigned seed(struct series s, int pe) { return (unsigned)(pe * 100 + s.round); }

// Puts with a signal in odd rounds, and makes the source useless as soon as that is allowed.
static void put_all(struct series s, shmem_ctx_t ctx) {
  unsigned char *from = source[s.thread] + s.first, *dest = inbox + (size_t)s.thread * arena + s.first;
  const size_t all = count(s) * s.bytes;
  const int to = (me + 1) % n;
  pattern_fill(from, all, seed(s, me));
  for (size_t i = 0; i < count(s); i++)
    if (s.round % 2)
      shmem_ctx_putmem_signal_nbi(ctx, dest + i * s.bytes, from + i * s.bytes, s.bytes, &arrived[s.thread], 1,
                                  SHMEM_SIGNAL_ADD, to);
    else
      shmem_ctx_putmem_nbi(ctx, dest + i * s.bytes, from + i * s.bytes, s.bytes, to);
  if (ctx == SHMEM_CTX_DEFAULT)
    shmemx_quiet_local();
  else
    shmemx_ctx_quiet_local(ctx);
  memset(from, 0, all);
}

static void check_inbox(struct series s) {
  const size_t all = count(s) * s.bytes;
  const size_t wrong = pattern_mismatch(inbox + (size_t)s.thread * arena + s.first, all, seed(s, (me + n - 1) % n));
  CHECK(wrong == all, "thread %d, round %d, puts of %zu bytes: byte %zu is wrong", s.thread, s.round, s.bytes, wrong);
}

static void put_every_size(void) {
  static const size_t sizes[] = {0, 1, 8, 200, 1000, 5000, 8192, 40000};
  for (int round = 0; round < 4 * (int)LENGTH(sizes); round++) {
    const struct series s = {.round = round, .bytes = sizes[round / 4]};
    const shmem_ctx_t ctx = round % 4 < 2 ? SHMEM_CTX_DEFAULT : own;
    put_all(s, ctx);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    check_inbox(s);
    shmem_barrier_all();
  }
}

static struct series of_thread(int thread, int round) {
  return (struct series){thread, round, (size_t)round * n_puts * thread_bytes, thread_bytes};
}

static void put_in_a_thread(int thread) {
  for (int round = 0; round < thread_rounds; round++) put_all(of_thread(thread, round), SHMEM_CTX_DEFAULT);
}

static void put_in_threads(void) {
  run_threads(put_in_a_thread);
  shmem_barrier_all();
  for (int thread = 0; thread < thread_count; thread++)
    for (int round = 0; round < thread_rounds; round++) check_inbox(of_thread(thread, round));
  CHECK(arrived[1] == n_puts, "%llu signals", (unsigned long long)arrived[1]);
}

static void put_to_a_stopped_pe(int pe) {
  const long pid = shmem_long_g(&target_pid, pe);
  long value = 1;
  shmem_long_p(&word, value, pe);  // connects
  shmem_quiet();
  stop(pid);
  value = 2;
  shmem_long_put_nbi(&word, &value, 1, pe);
  shmemx_quiet_local();
  value = 3;
  CHECK(state_of(pid) == 'T', "the target went on before it was told to");
  CHECK(kill((pid_t)pid, SIGCONT) == 0, "cannot continue process %ld", pid);
  shmem_quiet();
  value = shmem_long_g(&word, pe);
  CHECK(value == 2, "the word is %ld", value);
}

int main(void) {
  init_multiple();
  me = shmem_my_pe(), n = shmem_n_pes();
  target_pid = getpid();
  inbox = memory_take(MEMORY_HEAP, thread_count * (size_t)arena);
  arrived = memory_take(MEMORY_HEAP, thread_count * sizeof *arrived);
  CHECK(shmem_ctx_create(0, &own) == 0, "no context");
  shmemx_ctx_quiet_local(SHMEM_CTX_INVALID);
  put_every_size();
  put_in_threads();
  shmem_barrier_all();
  if (me == 0 && n > 1) put_to_a_stopped_pe(n - 1);
  shmem_barrier_all();
  shmem_ctx_destroy(own);
  memory_give_back(MEMORY_HEAP, arrived);
  memory_give_back(MEMORY_HEAP, inbox);
  shmem_finalize();
  return 0;
}
