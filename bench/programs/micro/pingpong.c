// Data and its notification, there and back, between pairs of the first and the second half of the PEs: by put, fence
// and flag; by put with signal; or by a flag and a get. Every message is checked on arrival.
#include <string.h>

#include "block.h"
#include "cases.h"

static size_t length;
static int partner;  // -1: no partner
static bool starts;
static long wrong, passed;

// Symmetric flags after the data.
static long* flag(void) { return (long*)(void*)(remote_block + block_bytes - 4096); }
#if BENCH_HAS_1_5
static uint64_t* signal_word(void) { return (uint64_t*)(void*)(remote_block + block_bytes - 2048); }
#endif

static void prepare(long size) {
  const int half = bench_pes / 2;
  starts = bench_me < half;
  partner = bench_me >= 2 * half ? -1 : starts ? bench_me + half : bench_me - half;
  length = (size_t)size < block_bytes - 8192 ? (size_t)size : block_bytes - 8192;
  wrong = passed = 0;
  memset(remote_block, 0, block_bytes);
  block_begin(length);
  block_fill(local_block);
  shmem_barrier_all();
}

typedef void step(long i);

// The starter sends, then receives; its partner receives, then sends.
static void play(long first, long count, step* send, step* take) {
  for (long i = first + 1; partner >= 0 && i <= first + count; ++i) {
    if (starts) send(i);
    take(i);
    if (!starts) send(i);
  }
  passed = first + count;
}

static void check(long i) { wrong += !block_arrived(remote_block, i); }

static void send_flag(long i) {
  block_stamp(local_block, i);
  shmem_putmem(remote_block, local_block, length, partner);
  shmem_fence();
  shmem_long_p(flag(), i, partner);
}
static void take_flag(long i) {
  shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
  check(i);
}
static void by_flag(long first, long count) { play(first, count, send_flag, take_flag); }

#if BENCH_HAS_1_5
static void send_signal(long i) {
  block_stamp(local_block, i);
  shmem_putmem_signal(remote_block, local_block, length, signal_word(), (uint64_t)i, SHMEM_SIGNAL_SET, partner);
}
static void send_signal_nbi(long i) {
  block_stamp(local_block, i);
  shmem_putmem_signal_nbi(remote_block, local_block, length, signal_word(), 1, SHMEM_SIGNAL_ADD, partner);
  shmem_quiet();
}
static void take_signal(long i) {
  shmem_signal_wait_until(signal_word(), SHMEM_CMP_GE, (uint64_t)i);
  check(i);
}
static void by_signal(long first, long count) { play(first, count, send_signal, take_signal); }
static void by_signal_nbi(long first, long count) { play(first, count, send_signal_nbi, take_signal); }
#endif

// The data stays in place until the partner has fetched it.
static void offer(long i) {
  block_stamp(remote_block, i);
  shmem_fence();
  shmem_long_p(flag(), i, partner);
}
static void fetch(long i) {
  shmem_long_wait_until(flag(), SHMEM_CMP_GE, i);
  shmem_getmem(local_block, remote_block, length, partner);
  wrong += !block_arrived(local_block, i);
}
static void by_get(long first, long count) { play(first, count, offer, fetch); }
static void prepare_get(long size) {
  prepare(size);
  block_fill(remote_block);
  shmem_barrier_all();
}

static bool valid(long first, long count) { return wrong == 0 && passed == first + count; }

static const long sizes[] = {8, 512, 4 << 10, 64 << 10, 1 << 20, 0};
enum { pairs = bench_pairs | bench_bytewise };

BENCH_KINDS = {{"pp_*", "sync", "ping-pong, one way", .completion = "notified", .streams = 1, .radar = true}};

static const bench_case cases[] = {
    {"pp_flag", "putmem, fence, long_p; wait_until", reference_message, prepare, by_flag, valid, pairs, sizes},
#if BENCH_HAS_1_5
    {"pp_signal", "putmem_signal; signal_wait_until", reference_message, prepare, by_signal, valid, pairs, sizes},
    {"pp_signal_nbi", "putmem_signal_nbi (add), quiet; signal_wait_until", reference_message, prepare, by_signal_nbi,
     valid, pairs, sizes},
#endif
    {"pp_get", "long_p; wait_until, getmem", reference_message, prepare_get, by_get, valid, pairs, sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: a flag comes before its data.
// Noticed by: pp_flag
#ifdef BENCH_FAULT
void shmem_putmem(void* d, const void* s, size_t n, int pe) {
  static char late[1 << 20];
  static void* at;
  static size_t had;
  if (at) memcpy(shmem_ptr(at, pe), late, had);
  at = d;
  had = n;
  memcpy(late, s, n);
}
#endif

// Fault: a signal comes before its data.
// Noticed by: pp_signal
#ifdef BENCH_FAULT
void shmem_putmem_signal(void* d, const void* s, size_t n, uint64_t* sig, uint64_t v, int op, int pe) {
  __atomic_store_n((uint64_t*)shmem_ptr(sig, pe), v, __ATOMIC_RELEASE);
  for (volatile int i = 0; i < 100000; ++i) {
  }
  memcpy(shmem_ptr(d, pe), s, n);
}
#endif
