/* Preloaded into a mini-app: an OpenSHMEM library with one fault, FAULT=kind:place:bytes. The fault happens in call
 * number `place` of those that it can happen in, and that move at least `bytes` from or to another PE. It happens on PE
 * 0 unless stated otherwise.
 *
 *   drop_put        a put never arrives; of a put with signal, only the signal arrives.
 *   short_put       the second half of a put does not arrive.
 *   stale_put       only the first `bytes` and the last word of a put arrive; between them the old data stays.
 *   shift_put       the second half of a put arrives a word too early.
 *   double_put      a put arrives a second time, after the next put to the same place.
 *   late_put        a put arrives after its flag, as if there were no fence.
 *   early_signal    a signal arrives before its data.
 *   skip_barrier    on all PEs: the first barrier or sync after such a put does not wait, and PE 0 enters it late.
 *   drop_get        a get, get_nbi or g of PE 1 brings nothing.
 *   stale_get       a get of PE 1 brings its last word only.
 *   shift_get       the second half of a get of PE 1 arrives a word too early.
 *   drop_atomic     an addition or xor never arrives.
 *   double_atomic   an addition or xor arrives twice.
 *   drop_alltoall   on all PEs: an alltoall brings nothing.
 *   stale_alltoall  on all PEs: an alltoall does not bring the word of each block that follows the first `bytes`.
 *   shift_alltoall  on all PEs: from there on each block arrives a word too early.
 *   double_alltoall on all PEs: an alltoall arrives a second time, after the next alltoall to the same place.
 *
 * A put that arrives twice in a row changes nothing, so the second arrival is late: where newer data lies. When the
 * fault happens, a line says "fault: changed data" if bytes of the target differ from those without it, else "fault:
 * changed nothing". With the kind "count" no fault happens. Lines in shmem_finalize then say how many calls of each
 * sort there were.
 *
 * No fault happens between shmem_pcontrol(0) and shmem_pcontrol(1).
 *
 * The routines that replace those of the library call the latter through dlsym, so that this works with every library
 * that is a shared object. No PE reaches another PE's memory by shmem_ptr, so that all data is moved by calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5
#define OPENSHMEM_1_4
#endif

enum { pause_ms = 150 };

/* ---- the library's own routines */

typedef void (*routine_t)(void);

static routine_t find(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  routine_t routine;
  if (found == NULL) fprintf(stderr, "fault: the library has no %s\n", name), abort();
  memcpy(&routine, &found, sizeof routine);
  return routine;
}

#define REAL(name) ((__typeof__(&name))find(#name))

/* ---- the fault, and the calls in which it can happen */

typedef enum sort { a_put, a_signal, a_get, an_atomic, an_alltoall, sorts } sort_t;

static char fault[32];
static long place;
static size_t least;
static atomic_long calls[sorts];
static int me = -1;

__attribute__((constructor)) static void read_fault(void) {
  const char* text = getenv("FAULT");
  if (text == NULL) return;
  const size_t length = strcspn(text, ":");
  memcpy(fault, text, length < sizeof fault ? length : sizeof fault - 1);
  char* rest = (char*)text + length + (text[length] != '\0');
  place = strtol(rest, &rest, 10);
  least = *rest == ':' ? strtoul(rest + 1, NULL, 10) : 0;
}

static int is(const char* kind) { return strcmp(fault, kind) == 0; }

/* PE 0 tells its calls, and PE 1 its gets: there the faults happen. A launcher may end this PE once another one has
 * left. */
void shmem_finalize(void) {
  static const char* const names[sorts] = {"put", "signal", "get", "atomic", "alltoall"};
  for (int sort = 0; sort < sorts && is("count"); sort++)
    if (me == (sort == a_get)) fprintf(stderr, "calls %s %ld\n", names[sort], atomic_load(&calls[sort]));
  REAL(shmem_finalize)();
}

static void tell_change(int changed) { fputs(changed ? "fault: changed data\n" : "fault: changed nothing\n", stderr); }

static int this_pe(void) {
  if (me < 0) me = REAL(shmem_my_pe)();
  return me;
}

static atomic_int paused;

/* Counts a call; returns its number, or 0 if no fault can happen in it. */
static long number(sort_t sort, size_t bytes) {
  return bytes < least || atomic_load(&paused) ? 0 : atomic_fetch_add(&calls[sort], 1) + 1;
}

/* The number of a call of `sort` to another PE on PE `where`; 0 for other calls. */
static long number_on(int where, sort_t sort, size_t bytes, int pe) {
  return this_pe() == where && pe != where ? number(sort, bytes) : 0;
}

static int happens(const char* kind, long number) { return number != 0 && number == place && is(kind); }

static void wait_a_while(void) {
  const struct timespec pause = {0, pause_ms * 1000000L};
  nanosleep(&pause, NULL);
}

#ifndef OPENSHMEM_1_4
void shmem_pcontrol(int level, ...) { atomic_store(&paused, level == 0); }
#endif

/* ---- puts */

typedef struct message {
  void* dest;
  char* bytes;
  size_t size;
  int pe;
} message_t;

static message_t late, first; /* `first` is what arrived first of double_put, or of double_alltoall */

static char* copy_of(const void* source, size_t size) {
  char* copy = malloc(size + 1);
  if (copy == NULL) abort();
  return memcpy(copy, source, size);
}

static message_t message_of(void* dest, const void* source, size_t size, int pe) {
  return (message_t){dest, copy_of(source, size), size, pe};
}

static void forget(message_t* message) {
  free(message->bytes);
  message->bytes = NULL;
}

static void real_put(void* dest, const void* source, size_t size, int pe) {
  REAL(shmem_putmem)(dest, source, size, pe);
}

static int differs_there(const void* dest, const void* source, size_t size, int pe) {
  char* there = malloc(size + 1);
  if (there == NULL) abort();
  REAL(shmem_getmem)(there, dest, size, pe);
  const int differs = memcmp(there, source, size) != 0;
  free(there);
  return differs;
}

static void deliver(void) {
  if (late.bytes == NULL) return;
  wait_a_while();
  real_put(late.dest, late.bytes, late.size, late.pe);
  forget(&late);
}

/* Moves everything from byte `from` on a word forward; the last word stays. Returns whether this changed a byte. */
static int shift(char* data, size_t from, size_t size) {
  if (from + 8 >= size) return 0;
  char* const old = copy_of(data, size);
  memmove(data + from, data + from + 8, size - from - 8);
  const int changed = memcmp(old, data, size) != 0;
  free(old);
  return changed;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void put_shifted(void* dest, const void* source, size_t size, int pe) {
  char* const copy = copy_of(source, size);
  tell_change(shift(copy, larger(size / 16 * 8, least), size));
  real_put(dest, copy, size, pe);
  REAL(shmem_quiet)();
  free(copy);
}

static void put_short(void* dest, const void* source, size_t size, int pe) {
  const size_t half = size - (size - least) / 2;
  tell_change(differs_there((char*)dest + half, (const char*)source + half, size - half, pe));
  real_put(dest, source, half, pe);
}

static void put_ends(void* dest, const void* source, size_t size, int pe) {
  const size_t end = larger(size, 8) - 8, begin = least < end ? least : end;
  tell_change(differs_there((char*)dest + begin, (const char*)source + begin, end - begin, pe));
  real_put(dest, source, begin, pe);
  real_put((char*)dest + end, (const char*)source + end, size - end, pe);
}

/* Returns whether a fault happens in the put. It is then done. */
static int spoiled(void* dest, const void* source, size_t size, int pe, long n) {
  if (this_pe() != 0) return 0;
  if (happens("drop_put", n)) return tell_change(differs_there(dest, source, size, pe)), 1;
  if (happens("short_put", n)) return put_short(dest, source, size, pe), 1;
  if (happens("stale_put", n)) return put_ends(dest, source, size, pe), 1;
  if (happens("shift_put", n)) return put_shifted(dest, source, size, pe), 1;
  if (!happens("late_put", n)) return 0;
  tell_change(differs_there(dest, source, size, pe));
  late = message_of(dest, source, size, pe);
  return 1;
}

/* Called when put `n` of `source` has arrived. The old message may be longer; it is still within its slot. */
static void deliver_again(void* dest, const void* source, size_t size, int pe, long n) {
  if (first.bytes != NULL && first.dest == dest && first.pe == pe) {
    REAL(shmem_fence)();
    real_put(dest, first.bytes, first.size, pe);
    tell_change(memcmp(first.bytes, source, size < first.size ? size : first.size) != 0);
    forget(&first);
  }
  if (this_pe() == 0 && happens("double_put", n)) first = message_of(dest, source, size, pe);
}

/* Set from the put that skip_barrier counts until the barrier that does not wait. */
static atomic_int unguarded;

static void leave_unguarded(void) {
  atomic_store(&unguarded, 1);
  if (this_pe() != 0) return;
  tell_change(1);
  wait_a_while();
}

static void put(void* dest, const void* source, size_t size, int pe) {
  const long n = pe == this_pe() ? 0 : number(a_put, size);
  if (happens("skip_barrier", n)) leave_unguarded();
  if (!spoiled(dest, source, size, pe, n)) real_put(dest, source, size, pe);
  deliver_again(dest, source, size, pe, n);
}

void shmem_putmem(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

void shmem_putmem_nbi(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

/* The contexts of the apps are serialized ones, so that the default context may take their place. */
void shmem_ctx_uint64_p(shmem_ctx_t context, uint64_t* dest, uint64_t value, int pe) {
  (void)context;
  put(dest, &value, sizeof value, pe);
}

#ifndef OPENSHMEM_1_4
/* Returns whether a fault happens in the put, or could: then the data is sent, and the signal must follow. */
static int put_before_signal(void* dest, const void* source, size_t size, int pe) {
  const long n = pe == this_pe() ? 0 : number(a_put, size);
  if (happens("early_signal", number_on(0, a_signal, size, pe))) {
    tell_change(differs_there(dest, source, size, pe));
    late = message_of(dest, source, size, pe);
    return 1;
  }
  const int done = spoiled(dest, source, size, pe, n);
  if (!done && !is("double_put")) return 0;
  if (!done) real_put(dest, source, size, pe);
  deliver_again(dest, source, size, pe, n);
  REAL(shmem_fence)();
  return 1;
}

void shmem_putmem_signal_nbi(void* dest, const void* source, size_t size, uint64_t* word, uint64_t value, int operation,
                             int pe) {
  const size_t rest = put_before_signal(dest, source, size, pe) ? 0 : size;
  REAL(shmem_putmem_signal_nbi)(dest, source, rest, word, value, operation, pe);
}

void shmem_putmem_signal(void* dest, const void* source, size_t size, uint64_t* word, uint64_t value, int operation,
                         int pe) {
  const size_t rest = put_before_signal(dest, source, size, pe) ? 0 : size;
  REAL(shmem_putmem_signal)(dest, source, rest, word, value, operation, pe);
}
#endif

/* ---- gets */

void* shmem_ptr(const void* dest, int pe) { return pe == this_pe() ? REAL(shmem_ptr)(dest, pe) : NULL; }

static void keep_old(char* dest, const char* old, size_t size) {
  tell_change(memcmp(dest, old, size) != 0);
  memcpy(dest, old, size);
}

/* Takes back a part of get number `n`; `old` was at `dest` before it. */
static void spoil_get(long n, char* dest, const char* old, size_t size) {
  if (happens("drop_get", n)) keep_old(dest, old, size);
  if (happens("stale_get", n)) keep_old(dest, old, larger(size, 8) - 8);
  if (happens("shift_get", n)) tell_change(shift(dest, size / 16 * 8, size));
}

void shmem_getmem(void* dest, const void* source, size_t size, int pe) {
  const long n = number_on(1, a_get, size, pe);
  char* const old = n != 0 && n == place ? copy_of(dest, size) : NULL;
  REAL(shmem_getmem)(dest, source, size, pe);
  if (old != NULL) spoil_get(n, dest, old, size);
  free(old);
}

/* The get with the fault is blocking, so that its bytes can be taken back. */
void shmem_ctx_uint64_get_nbi(shmem_ctx_t context, uint64_t* dest, const uint64_t* source, size_t nelems, int pe) {
  const size_t size = nelems * sizeof *dest;
  const long n = number_on(1, a_get, size, pe);
  if (n == 0 || n != place) {
    REAL(shmem_ctx_uint64_get_nbi)(context, dest, source, nelems, pe);
    return;
  }
  char* const old = copy_of(dest, size);
  REAL(shmem_ctx_getmem)(context, dest, source, size, pe);
  spoil_get(n, (char*)dest, old, size);
  free(old);
}

uint64_t shmem_ctx_uint64_g(shmem_ctx_t context, const uint64_t* source, int pe) {
  const long n = number_on(1, a_get, sizeof *source, pe);
  const uint64_t value = REAL(shmem_ctx_uint64_g)(context, source, pe);
  if (happens("stale_get", n) || happens("shift_get", n)) tell_change(0);
  if (!happens("drop_get", n)) return value;
  tell_change(value != 0);
  return 0;
}

/* ---- atomics */

static int times(uint64_t value, int pe) {
  const long n = number_on(0, an_atomic, larger(least, sizeof value), pe);
  const int dropped = happens("drop_atomic", n), doubled = happens("double_atomic", n);
  if (dropped || doubled) tell_change(value != 0);
  return dropped ? 0 : doubled ? 2 : 1;
}

#ifdef OPENSHMEM_1_4
typedef unsigned long long word_t; /* Open MPI has these for the standard C types only */
#define ATOMIC(operation) shmem_ctx_ulonglong_atomic_##operation
#else
typedef uint64_t word_t;
#define ATOMIC(operation) shmem_ctx_uint64_atomic_##operation
#endif
#define REAL_ATOMIC(operation) REAL_OF(ATOMIC(operation))
#define REAL_OF(name) REAL(name)

void ATOMIC(add)(shmem_ctx_t context, word_t* dest, word_t value, int pe) {
  for (int n = times(value, pe); n > 0; n--) REAL_ATOMIC(add)(context, dest, value, pe);
}

word_t ATOMIC(fetch_add)(shmem_ctx_t context, word_t* dest, word_t value, int pe) {
  const int n = times(value, pe);
  if (n == 2) REAL_ATOMIC(add)(context, dest, value, pe);
  return n == 0 ? 0 : REAL_ATOMIC(fetch_add)(context, dest, value, pe);
}

void shmem_ctx_uint64_atomic_xor(shmem_ctx_t context, uint64_t* dest, uint64_t value, int pe) {
  for (int n = times(value, pe); n > 0; n--) REAL(shmem_ctx_uint64_atomic_xor)(context, dest, value, pe);
}

/* ---- waits: late puts arrive after all flags */

#ifdef OPENSHMEM_1_4
typedef volatile uint64_t flag_t;
#else
typedef uint64_t flag_t;

uint64_t shmem_signal_wait_until(uint64_t* word, int comparison, uint64_t value) {
  deliver();
  return REAL(shmem_signal_wait_until)(word, comparison, value);
}
#endif

void shmem_uint64_wait_until(flag_t* word, int comparison, uint64_t value) {
  deliver();
  REAL(shmem_uint64_wait_until)(word, comparison, value);
}

/* ---- collectives */

static int skipped(void) {
  int expected = 1;
  return atomic_compare_exchange_strong(&unguarded, &expected, 0);
}

void shmem_barrier_all(void) {
  if (!skipped()) REAL(shmem_barrier_all)();
}

void shmem_sync_all(void) {
  if (!skipped()) REAL(shmem_sync_all)();
}

/* Called when an alltoall of blocks of `block` bytes is complete; `old` was at its target before. */
static void spoil_alltoall(char* dest, char* old, size_t block) {
  const size_t pes = (size_t)REAL(shmem_n_pes)(), size = pes * block;
  const long n = (this_pe(), number(an_alltoall, block));
  int changed = 0;
  if (first.bytes != NULL && first.dest == dest) {
    keep_old(dest, first.bytes, size);
    forget(&first);
  }
  if (happens("double_alltoall", n)) first = message_of(dest, dest, size, 0);
  if (happens("drop_alltoall", n)) keep_old(dest, old, size);
  if (happens("shift_alltoall", n)) {
    for (char* at = dest; at < dest + size; at += block) changed |= shift(at, least, block);
    tell_change(changed);
  }
  if (happens("stale_alltoall", n) && least + 8 <= block) {
    for (size_t at = least; at < size; at += block) {
      changed |= memcmp(dest + at, old + at, 8) != 0;
      memcpy(dest + at, old + at, 8);
    }
    tell_change(changed);
  }
  free(old);
}

#ifdef OPENSHMEM_1_4
void shmem_alltoall64(void* dest, const void* source, size_t elements, int start, int stride, int size, long* sync) {
  char* const old = copy_of(dest, 8 * elements * (size_t)size);
  REAL(shmem_alltoall64)(dest, source, elements, start, stride, size, sync);
  spoil_alltoall(dest, old, 8 * elements);
}
#else
int shmem_alltoallmem(shmem_team_t team, void* dest, const void* source, size_t elements) {
  char* const old = copy_of(dest, elements * (size_t)REAL(shmem_n_pes)());
  const int done = REAL(shmem_alltoallmem)(team, dest, source, elements);
  spoil_alltoall(dest, old, elements);
  return done;
}
#endif
