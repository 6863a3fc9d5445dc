// Ordering and completing 16 puts of 64 bytes to all other PEs in turn, and the same calls without pending puts.
#include <string.h>

#include "cases.h"
#include "pattern.h"

enum { puts = 16, bytes = 64 };

static long stamp[bytes / sizeof(long)];
#if BENCH_HAS_CONTEXTS
static shmem_ctx_t context;
static bool context_made;
#endif

static void prepare(long size) {
  (void)size;
  memset(remote_block, 0, bytes * puts * (size_t)bench_pes);
#if BENCH_HAS_CONTEXTS
  if (!context_made) context_made = shmem_ctx_create(0, &context) == 0;
#endif
  shmem_barrier_all();
}

static unsigned char* place(int k) { return remote_block + (size_t)(bench_me * puts + k) * bytes; }

static void number(long i) {
  stamp[0] = stamp[7] = i;
  if (bench_whole) pattern_write(stamp, bytes, i);
}

static void send(long i, int k) {
  number(i);
  shmem_putmem(place(k), stamp, bytes, (bench_me + 1 + k % (bench_pes < 2 ? 1 : bench_pes - 1)) % bench_pes);
}

static void fence(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    for (int k = 0; k < puts; ++k) send(i, k);
    shmem_fence();
  }
  shmem_quiet();
}
static void quiet(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    for (int k = 0; k < puts; ++k) send(i, k);
    shmem_quiet();
  }
}
static void idle_quiet(long first, long count) {
  for (long i = first; i < first + count; ++i) shmem_quiet();
}
static void idle_fence(long first, long count) {
  for (long i = first; i < first + count; ++i) shmem_fence();
}

// Whether the puts of PE 0 to this PE have arrived.
static bool arrived(long first, long count) {
  bool ok = true;
  for (int k = 0; k < puts; ++k) {
    const int to = (1 + k % (bench_pes < 2 ? 1 : bench_pes - 1)) % bench_pes;
    const long* got = (const long*)(const void*)(remote_block + (size_t)k * bytes);
    if (to != bench_me) continue;
    ok &= bench_whole ? pattern_is(got, bytes, first + count) : got[0] == first + count && got[7] == first + count;
  }
  return ok;
}
static bool always_valid(long first, long count) {
  (void)first;
  return count > 0;
}

#if BENCH_HAS_PE_QUIET
static void pe_quiet(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    for (int k = 0; k < puts; ++k) send(i, k);
    for (int pe = 0; pe < bench_pes; ++pe)
      if (pe != bench_me || bench_pes == 1) shmem_pe_quiet(&pe, 1);
  }
}
#endif
#if BENCH_HAS_CONTEXTS
static void ctx_quiet(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    number(i);
    for (int k = 0; k < puts; ++k)
      shmem_ctx_putmem(context, place(k), stamp, bytes,
                       (bench_me + 1 + k % (bench_pes < 2 ? 1 : bench_pes - 1)) % bench_pes);
    shmem_ctx_quiet(context);
  }
}
#endif

BENCH_KINDS = {{"order.*", "sync", "fence and quiet after puts to several PEs", .completion = "remote"}};

static const bench_case cases[] = {
    {"order.fence", "16 putmem to all in turn, fence", 0, prepare, fence, arrived, bench_alone, NULL},
    {"order.quiet", "16 putmem to all in turn, quiet", 0, prepare, quiet, arrived, bench_alone, NULL},
#if BENCH_HAS_PE_QUIET
    {"order.pe_quiet", "16 putmem to all in turn, pe_quiet of each", 0, prepare, pe_quiet, arrived, bench_alone, NULL},
#endif
#if BENCH_HAS_CONTEXTS
    {"order.ctx_quiet", "16 ctx_putmem to all in turn, ctx_quiet", 0, prepare, ctx_quiet, arrived, bench_alone, NULL},
#endif
    {"order.idle_quiet", "quiet, nothing under way", 0, prepare, idle_quiet, always_valid, bench_alone, NULL},
    {"order.idle_fence", "fence, nothing under way", 0, prepare, idle_fence, always_valid, bench_alone, NULL},
    {0}};

BENCH_CASES(bench_two_pes, cases)
