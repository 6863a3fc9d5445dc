// The operations, contexts and synchronisations of OpenSHMEM, for the thread cases.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#include "pattern.h"
#include "tell_shmem.h"
#include "threads.h"

#define HAS_SIGNALS (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5)
#ifndef BENCH_HAS_PE_QUIET
#define BENCH_HAS_PE_QUIET (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 6)
#endif

enum { op_put, op_put_nbi, op_get, op_get_nbi, op_p, op_g, op_put_signal, op_fetch_add };
enum { ctx_default, ctx_shared, ctx_private };
// pscw: like flag, but the next group waits for permission of the target. lock: a group under a lock of target and
// thread. sync: a quiet by each thread, then sync_all by the master.
enum { sync_quiet, sync_pe_quiet, sync_barrier, sync_sync, sync_flag, sync_counter, sync_pscw, sync_lock };

static const char* const operations[] = {"put", "put_nbi", "get", "get_nbi", "p", "g", "put_signal", "fetch_add", NULL};
static const char* const contexts[] = {"default", "shared", "private", NULL};
static const char* const synchronisations[] = {"quiet",   "pe_quiet", "barrier", "sync", "flag",
                                               "counter", "pscw",     "lock",    NULL};

static unsigned char* there;  // symmetric: a region for each side and thread
static long* flags;           // symmetric, a line for each side and thread, then the counter and the sums
static unsigned char* here[most_threads];
static long* locks;  // symmetric, a line for each target, side and thread
static shmem_ctx_t shared_ctx, private_ctx[most_threads];
static long size_now, slots;
static long counted;               // the counter after the last group
static long got[most_threads][8];  // sums of fetched values in this batch; a line for each thread

static long* flag_of(int side, int thread) { return flags + 8 * (side * most_threads + thread); }
static long* counter(void) { return flags + 8 * regions; }
static long* sum_of(int side) { return flags + 8 * (regions + 1 + side); }
static uint64_t* signal_of(int side, int thread) {
  return (uint64_t*)(void*)(flags + 8 * (regions + 3 + side * most_threads + thread));
}
// At the sender: the last message that its target on this side has permitted.
static long* ready_of(int side) { return flags + 8 * (2 * regions + 3 + side); }
static long* lock_of(const share* s) { return locks + 8 * (s->target * regions + s->side * most_threads + s->thread); }

static unsigned char* slot_there(int side, int thread, long slot) {
  return there + (long)(side * most_threads + thread) * region_bytes + slot * (size_now < 64 ? 64 : size_now);
}
static unsigned char* slot_here(int thread, long slot) { return here[thread] + slot * (size_now < 64 ? 64 : size_now); }

static shmem_ctx_t context_of(const thread_case* c, int thread) {
  return c->context == ctx_default ? SHMEM_CTX_DEFAULT : c->context == ctx_shared ? shared_ctx : private_ctx[thread];
}

static bool gets(const thread_case* c) {
  return c->operation == op_get || c->operation == op_get_nbi || c->operation == op_g;
}

static bool one_word(const thread_case* c) {
  return c->operation == op_p || c->operation == op_g || c->operation == op_fetch_add;
}

static bool offers(const thread_case* c) {
  if (c->operation == op_put_signal && !HAS_SIGNALS) return false;
  if (one_word(c) && (c->pattern == bw || c->pattern == bibw)) return false;
  const int sync = c->synchronisation;
  const bool puts = c->operation == op_put || c->operation == op_put_nbi;
  if (sync == sync_pe_quiet && !BENCH_HAS_PE_QUIET) return false;
  if ((sync == sync_pe_quiet || sync == sync_pscw || sync == sync_lock) && !puts) return false;
  const bool tells = sync == sync_flag || sync == sync_counter || sync == sync_pscw;
  if (tells && (gets(c) || c->operation == op_fetch_add || c->pattern == lat)) return false;
  return c->pattern != lat || sync == sync_quiet || sync == sync_pe_quiet;
}

// Both ends of the slot. The last byte is never zero, because unwritten memory is zero.
static void number_slot(unsigned char* slot, long number) {
  const long end = ~number;
  if (size_now >= 16) memcpy(slot, &number, sizeof number);
  memcpy(slot + size_now - 8, &end, sizeof end);
  if (bench_whole && size_now > 16) pattern_write(slot + 8, (size_t)size_now - 16, number);
}
static bool slot_is(const unsigned char* slot, long number) {
  const long end = ~number;
  if (bench_whole && size_now > 16 && !pattern_is(slot + 8, (size_t)size_now - 16, number)) return false;
  return (size_now < 16 || memcmp(slot, &number, 8) == 0) && memcmp(slot + size_now - 8, &end, 8) == 0;
}

static void prepare(const thread_case* c, long size) {
  size_now = size;
  slots = threads_slots(size);
  counted = 0;
  shmem_barrier_all();
  memset(there, 0, (size_t)regions * region_bytes);
  memset(flags, 0, 8 * (2 * regions + 5) * sizeof(long));
  for (int r = 0; gets(c) && r < regions; ++r)
    for (long s = 0; s < slots; ++s) number_slot(slot_there(r / most_threads, r % most_threads, s), s + 1);
  shmem_barrier_all();
}

// ---- one message

static void complete(const thread_case* c, const share* s, shmem_ctx_t ctx) {
  (void)c, (void)s;
#if BENCH_HAS_PE_QUIET
  if (c->synchronisation == sync_pe_quiet) {
    shmem_ctx_pe_quiet(ctx, &s->target, 1);
    return;
  }
#endif
  shmem_ctx_quiet(ctx);
}

static inline void message(const thread_case* c, const share* s, shmem_ctx_t ctx, long number, long slot) {
  unsigned char* const mine = slot_here(s->thread, slot);
  unsigned char* const theirs = slot_there(s->side, s->thread, slot);
  switch (c->operation) {
    case op_put:
      number_slot(mine, number);
      shmem_ctx_putmem(ctx, theirs, mine, (size_t)size_now, s->target);
      break;
    case op_put_nbi:
      number_slot(mine, number);
      shmem_ctx_putmem_nbi(ctx, theirs, mine, (size_t)size_now, s->target);
      break;
    case op_get: shmem_ctx_getmem(ctx, mine, theirs, (size_t)size_now, s->target); break;
    case op_get_nbi: shmem_ctx_getmem_nbi(ctx, mine, theirs, (size_t)size_now, s->target); break;
    case op_p: shmem_ctx_long_p(ctx, (long*)(void*)theirs, number, s->target); break;
    case op_g:
      got[s->thread][0] += shmem_ctx_long_g(ctx, (const long*)(const void*)theirs, s->target) - ~(slot + 1);
      break;
#if HAS_SIGNALS
    case op_put_signal:
      number_slot(mine, number);
      shmem_ctx_putmem_signal(ctx, theirs, mine, (size_t)size_now, signal_of(s->side, s->thread), (uint64_t)number,
                              SHMEM_SIGNAL_SET, s->target);
      break;
#endif
    default: shmem_ctx_long_atomic_fetch_add(ctx, sum_of(s->side), number, s->target); break;
  }
}

// Checks a get: the number of its slot at both ends. Overwrites the destination for the next get.
static void look(const thread_case* c, const share* s, long slot) {
  if (c->operation != op_get && c->operation != op_get_nbi) return;
  unsigned char* const mine = slot_here(s->thread, slot);
  got[s->thread][0] += !slot_is(mine, slot + 1);
  memset(mine, 0, bench_whole ? (size_t)size_now : 8);
  memset(mine + size_now - 8, 0, 8);
}

static void announce(const thread_case* c, const share* s, shmem_ctx_t ctx) {
  if (c->synchronisation == sync_flag || c->synchronisation == sync_pscw) {
    shmem_ctx_fence(ctx);
    shmem_ctx_long_p(ctx, flag_of(s->side, s->thread), s->last, s->target);
  } else if (c->synchronisation == sync_counter) {
    shmem_ctx_fence(ctx);
    shmem_ctx_long_atomic_inc(ctx, counter(), s->target);
  }
  complete(c, s, ctx);
}

static void send(const thread_case* c, const share* s) {
  const shmem_ctx_t ctx = context_of(c, s->thread);
  const bool nonblocking = c->operation == op_put_nbi || c->operation == op_get_nbi;
  if (c->synchronisation == sync_lock) shmem_set_lock(lock_of(s));
  long waiting = 0;  // slots in use since the last quiet, and the first of them
  for (long number = s->from + 1; number <= s->last; number += s->step) {
    const long index = (number - 1) / s->step, slot = index % slots;
    message(c, s, ctx, number, slot);
    ++waiting;
    if (s->each || (nonblocking && waiting == slots)) complete(c, s, ctx);
    if (!nonblocking) look(c, s, slot);
    if (nonblocking && (s->each || waiting == slots)) {
      for (long k = 0; k < waiting; ++k) look(c, s, (index - k) % slots);
      waiting = 0;
    }
  }
  announce(c, s, ctx);
  if (c->synchronisation == sync_lock) shmem_clear_lock(lock_of(s));
  if (nonblocking && waiting > 0) {
    const long last = (s->last - s->from - 1) / s->step * s->step + s->from + 1, index = (last - 1) / s->step;
    for (long k = 0; k < waiting; ++k) look(c, s, (index - k) % slots);
  }
}

// The sender to this process on one side.
static int sender_of(const thread_case* c, int side) {
  return c->pattern != rate_halo ? threads_half_partner() : (bench_me + (side == 0 ? bench_pes - 1 : 1)) % bench_pes;
}

static void close_group(const thread_case* c, long from, long last, bool sending, int senders) {
  (void)from;
  const bool flags_come = c->synchronisation == sync_flag || c->synchronisation == sync_pscw;
  if (c->synchronisation == sync_barrier) shmem_barrier_all();
  if (c->synchronisation == sync_sync) shmem_sync_all();
  if (flags_come)
    for (int side = 0; side < senders; ++side)
      for (int t = 0; t < c->threads; ++t) shmem_long_wait_until(flag_of(side, t), SHMEM_CMP_GE, last);
  if (c->synchronisation == sync_pscw) {
    for (int side = 0; side < senders; ++side) shmem_long_p(ready_of(side), last, sender_of(c, side));
    for (int side = 0; sending && side < (c->pattern == rate_halo ? 2 : 1); ++side)
      shmem_long_wait_until(ready_of(side), SHMEM_CMP_GE, last);
  }
  if (c->synchronisation == sync_counter && senders > 0) {
    shmem_long_wait_until(counter(), SHMEM_CMP_GE, counted + (long)senders * c->threads);
    counted += (long)senders * c->threads;
  }
}

// ---- checks

static bool slots_right(const thread_case* c, long last, int side, int thread) {
  const long own = threads_own(last, thread, c->threads);
  bool ok = true;
  for (long k = 0; k < slots && k < own; ++k) {
    const long index = own - 1 - k, number = index * c->threads + thread + 1;
    const unsigned char* slot = slot_there(side, thread, index % slots);
    ok &= c->operation == op_p ? memcmp(slot, &number, 8) == 0 : slot_is(slot, number);
  }
  if (c->operation == op_put_signal && own > 0)
    ok &= *signal_of(side, thread) == (uint64_t)((own - 1) * c->threads + thread + 1);
  return ok;
}

static bool valid(const thread_case* c, long last, int sides) {
  bool ok = true;
  for (int side = 0; side < sides; ++side) {
    if (c->operation == op_fetch_add) ok &= *sum_of(side) == last * (last + 1) / 2;
    for (int t = 0; !gets(c) && c->operation != op_fetch_add && t < c->threads; ++t)
      ok &= slots_right(c, last, side, t);
  }
  return ok;
}

static bool valid_sender(const thread_case* c, long count) {
  long wrong = 0;
  for (int t = 0; t < most_threads; ++t) {
    wrong += got[t][0] != 0;
    got[t][0] = 0;
  }
  return count > 0 && (!gets(c) || wrong == 0);
}

static void open_memory(void) {
  there = shmem_align(4096, (size_t)regions * region_bytes);
  flags = shmem_align(4096, 4096 * sizeof(long));
  const size_t lock_words = 8 * regions * (size_t)shmem_n_pes();
  locks = shmem_align(4096, lock_words * sizeof(long));
  if (there == NULL || flags == NULL || locks == NULL) shmem_global_exit(2);
  memset(locks, 0, lock_words * sizeof(long));
  for (int t = 0; t < most_threads; ++t)
    if ((here[t] = threads_private()) == NULL) shmem_global_exit(2);
  shared_ctx = private_ctx[0] = SHMEM_CTX_DEFAULT;
  (void)shmem_ctx_create(0, &shared_ctx);
  for (int t = 0; t < most_threads; ++t)
    if (shmem_ctx_create(0, &private_ctx[t]) != 0)  // not SHMEM_CTX_PRIVATE, because other threads use them
      private_ctx[t] = SHMEM_CTX_DEFAULT;
}

int main(int argc, char** argv) {
  static const thread_backend backend = {operations, contexts, synchronisations, offers, one_word,
                                         prepare,    send,     close_group,      valid,  valid_sender};
  const int wanted = threads_alone() ? SHMEM_THREAD_SINGLE : SHMEM_THREAD_MULTIPLE;
  int level = 0;
  if (shmem_init_thread(wanted, &level) != 0 || level < wanted) {
    fprintf(stderr, "bench: this library does not give SHMEM_THREAD_MULTIPLE\n");
    return 2;
  }
  open_memory();
  threads_open(&backend);
  const bench_suite suite = {.program = "threads", .tell = tell_by_shmem};
  const long failed = bench_run(&suite, shmem_my_pe(), shmem_n_pes(), argc, argv);
  threads_close();
  shmem_finalize();
  return failed != 0;
}

// Fault: a put on a context is short by a byte.
// Noticed by: mt_lat.put.default.quiet.t1, mt_bw.put.private.quiet.t2, mt_rate.halo.put.shared.counter.t2,
//   mt_lat.put.default.pe_quiet.t1, mt_rate.allstart.put.private.sync.t2, mt_rate.halo.put.default.pscw.t2,
//   mt_rate.pairs.put.private.lock.t2
#ifdef BENCH_FAULT
void shmem_ctx_putmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe) {
  memcpy(shmem_ptr(d, pe), s, n - 1);
  if (n > 8) return;
  memset((char*)shmem_ptr(d, pe), 0, 1);
}
#endif

// Fault: a put on a context moves its ends only.
// Noticed by: mt_lat.put.default.quiet.t1, mt_bw.put.private.quiet.t2
#ifdef BENCH_FAULT
void shmem_ctx_putmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe) {
  char* to = shmem_ptr(d, pe);
  memcpy(to, s, 8);
  memcpy(to + n - 8, (const char*)s + n - 8, 8);
}
#endif

// Fault: a get on a context brings its ends only.
// Noticed by: mt_lat.get.default.quiet.t1, mt_bw.get.private.quiet.t2
#ifdef BENCH_FAULT
void shmem_ctx_getmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe) {
  const char* from = shmem_ptr(s, pe);
  memcpy(d, from, 8);
  memcpy((char*)d + n - 8, from + n - 8, 8);
}
#endif

// Fault: gets on a context bring nothing.
// Noticed by: mt_lat.get.default.quiet.t1, mt_rate.single.get.private.quiet.t2
#ifdef BENCH_FAULT
void shmem_ctx_getmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe) {}
#endif

// Fault: an atomic of threads loses every hundredth.
// Noticed by: mt_rate.single.fetch_add.default.quiet.t2
#ifdef BENCH_FAULT
long shmem_ctx_long_atomic_fetch_add(shmem_ctx_t c, long* d, long v, int pe) {
  static int k;
  if (__atomic_add_fetch(&k, 1, __ATOMIC_RELAXED) % 100 == 0) return 0;
  return __atomic_fetch_add((long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST);
}
#endif
