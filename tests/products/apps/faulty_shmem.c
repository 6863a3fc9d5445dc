/* Preloaded into a mini-app: an OpenSHMEM library with one fault, FAULT=what:when:bytes. The fault happens once, in
 * call number `when` of its kind that moves at least `bytes` from or to another PE. It happens on PE 0 unless stated
 * otherwise. An app that still prints "right" does not check the data that it received.
 *
 *   drop_put       a put never arrives; of a put with signal, only the signal arrives
 *
 *   short_put      the second half of a put is missing
 *
 *   shift_put      the second half of a put arrives a word too early
 *
 *   late_put       a put arrives after its flag, as if there were no fence
 *
 *   double_put     a put arrives a second time, after the next put to the same place
 *
 *   signal_first   a signal arrives before its data
 *
 *   stale_get      a get, or g, of PE 1 brings nothing
 *
 *   lost_atomic    an addition or xor never arrives
 *
 *   twice_atomic   an addition or xor arrives twice
 *
 *   no_barrier     on all PEs: the first barrier or sync after such a put does not wait, and PE 0 enters it late
 *
 *   stale_alltoall on all PEs: an alltoall brings nothing
 *
 *   double_alltoall on all PEs: the blocks of an alltoall arrive a second time, after the next alltoall to the same
 * place
 *
 * A put that arrives twice in a row changes nothing, so the second arrival is late: where newer data lies. A line says
 * "the fault changed data" if bytes of the target differ from those without the fault. With `when` 0 nothing happens,
 * and a line at the end says how many calls there were.
 */
#define _GNU_SOURCE
#include <pshmem.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { pause_ms = 150, longest_kept = 1 << 20 };

static char fault[32];
static long when;
static size_t least;
static atomic_long calls;

__attribute__((constructor)) static void read_fault(void) {
  const char* text = getenv("FAULT");
  if (text == NULL) return;
  const size_t length = strcspn(text, ":");
  memcpy(fault, text, length < sizeof fault ? length : sizeof fault - 1);
  char* rest = (char*)text + length + 1;
  when = strtol(rest, &rest, 10);
  least = *rest == ':' ? strtoul(rest + 1, NULL, 10) : 0;
}

__attribute__((destructor)) static void tell_calls(void) {
  if (fault[0] != '\0' && when == 0 && atomic_load(&calls) > 0) fprintf(stderr, "calls %ld\n", atomic_load(&calls));
}

static void tell_change(int changed) {
  if (changed) fputs("the fault changed data\n", stderr);
}

static int is(const char* what) { return strcmp(fault, what) == 0; }

/* Counts the calls of the fault's kind; returns true for the faulty one. */
static int happens(const char* what, size_t bytes) {
  return is(what) && bytes >= least && atomic_fetch_add(&calls, 1) + 1 == when;
}

static int here(const char* what, size_t bytes, int pe) {
  return pshmem_my_pe() == 0 && pe != 0 && happens(what, bytes);
}

static int happens_there(const char* what, size_t bytes, int pe) {
  return pshmem_my_pe() == 1 && pe != 1 && happens(what, bytes);
}

static void wait_a_while(void) {
  const struct timespec pause = {0, pause_ms * 1000000L};
  nanosleep(&pause, NULL);
}

/* ---- puts */

static struct late {
  void* dest;
  char* bytes;
  size_t size;
  int pe;
} late;

static struct late copy_of(void* dest, const void* source, size_t size, int pe) {
  const struct late copy = {dest, malloc(size + 1), size, pe};
  memcpy(copy.bytes, source, size);
  return copy;
}

static void keep(void* dest, const void* source, size_t size, int pe) { late = copy_of(dest, source, size, pe); }

static void deliver(void) {
  if (late.bytes == NULL) return;
  wait_a_while();
  pshmem_putmem(late.dest, late.bytes, late.size, late.pe);
  free(late.bytes);
  late.bytes = NULL;
}

/* Returns a copy that stays until the end. A length at its beginning is right. */
static const void* shifted(const void* source, size_t size) {
  char* copy = malloc(size);
  const size_t half = size / 16 * 8;
  memcpy(copy, source, size);
  memmove(copy + half, copy + half + 8, size - half - 8);
  return copy;
}

static int differs_there(const void* dest, const void* source, size_t size, int pe) {
  char* there = malloc(size + 1);
  pshmem_getmem(there, dest, size, pe);
  const int differs = memcmp(there, source, size) != 0;
  free(there);
  return differs;
}

/* Whether a put is lost. */
static int dropped(const void* dest, const void* source, size_t size, int pe) {
  if (!here("drop_put", size, pe)) return 0;
  tell_change(differs_there(dest, source, size, pe));
  return 1;
}

static struct late first; /* of double_put: what arrived first */

/* Called when `source` has arrived. The old message may be longer; it is still within its slot. */
static void deliver_again(void* dest, const void* source, size_t size, int pe) {
  if (first.bytes != NULL && first.dest == dest && first.pe == pe) {
    pshmem_fence();
    pshmem_putmem(dest, first.bytes, first.size, pe);
    tell_change(memcmp(first.bytes, source, size < first.size ? size : first.size) != 0);
    free(first.bytes);
    first.bytes = NULL;
  }
  if (here("double_put", size, pe)) first = copy_of(dest, source, size, pe);
}

/* Set from the put that no_barrier counts until the barrier that does not wait. */
static atomic_int unguarded;

static void put(void* dest, const void* source, size_t size, int pe) {
  if (dropped(dest, source, size, pe)) return;
  if (pe != pshmem_my_pe() && happens("no_barrier", size)) {
    atomic_store(&unguarded, 1);
    if (pshmem_my_pe() == 0) wait_a_while();
  }
  if (here("short_put", size, pe)) size -= (size - least) / 2;
  if (here("shift_put", size, pe)) source = shifted(source, size);
  if (here("late_put", size, pe))
    keep(dest, source, size, pe);
  else
    pshmem_putmem(dest, source, size, pe);
  deliver_again(dest, source, size, pe);
}

void shmem_putmem(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

void shmem_putmem_nbi(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

void shmem_putmem_signal_nbi(void* dest, const void* source, size_t size, uint64_t* word, uint64_t value, int operation,
                             int pe) {
  if (dropped(dest, source, size, pe)) {
    pshmem_putmem_signal_nbi(dest, source, 0, word, value, operation, pe);
  } else if (is("double_put")) {
    pshmem_putmem(dest, source, size, pe);
    deliver_again(dest, source, size, pe);
    pshmem_putmem_signal_nbi(dest, source, 0, word, value, operation, pe);
  } else if (here("signal_first", size, pe)) {
    pshmem_putmem_signal_nbi(dest, source, 0, word, value, operation, pe);
    keep(dest, source, size, pe);
  } else {
    if (here("shift_put", size, pe)) source = shifted(source, size);
    pshmem_putmem_signal_nbi(dest, source, size, word, value, operation, pe);
  }
}

void shmem_uint64_p(uint64_t* dest, uint64_t value, int pe) { put(dest, &value, sizeof value, pe); }

/* ---- gets */

void shmem_getmem(void* dest, const void* source, size_t size, int pe) {
  if (happens_there("stale_get", size, pe))
    tell_change(differs_there(source, dest, size, pe));
  else
    pshmem_getmem(dest, source, size, pe);
}

uint64_t shmem_uint64_g(const uint64_t* source, int pe) {
  return happens_there("stale_get", sizeof *source, pe) ? 0 : pshmem_uint64_g(source, pe);
}

/* ---- atomics */

static int times(int pe) {
  if (here("lost_atomic", sizeof(uint64_t), pe)) return 0;
  return here("twice_atomic", sizeof(uint64_t), pe) ? 2 : 1;
}

void shmem_uint64_atomic_add(uint64_t* dest, uint64_t value, int pe) {
  for (int n = times(pe); n > 0; n--) pshmem_uint64_atomic_add(dest, value, pe);
}

void shmem_uint64_atomic_xor(uint64_t* dest, uint64_t value, int pe) {
  for (int n = times(pe); n > 0; n--) pshmem_uint64_atomic_xor(dest, value, pe);
}

uint64_t shmem_uint64_atomic_fetch_add(uint64_t* dest, uint64_t value, int pe) {
  const int n = times(pe);
  if (n == 2) pshmem_uint64_atomic_add(dest, value, pe);
  return n == 0 ? 0 : pshmem_uint64_atomic_fetch_add(dest, value, pe);
}

/* ---- waits: late puts arrive after all flags */

void shmem_uint64_wait_until(uint64_t* word, int comparison, uint64_t value) {
  deliver();
  pshmem_uint64_wait_until(word, comparison, value);
}

uint64_t shmem_signal_wait_until(uint64_t* word, int comparison, uint64_t value) {
  deliver();
  return pshmem_signal_wait_until(word, comparison, value);
}

/* ---- collectives */

static int skipped(void) {
  int expected = 1;
  return atomic_compare_exchange_strong(&unguarded, &expected, 0);
}

void shmem_barrier_all(void) {
  if (skipped()) return;
  pshmem_barrier_all();
}

void shmem_sync_all(void) {
  if (skipped()) return;
  pshmem_sync_all();
}

int shmem_alltoallmem(shmem_team_t team, void* dest, const void* source, size_t elements) {
  if (happens("stale_alltoall", elements)) return 0;
  const int done = pshmem_alltoallmem(team, dest, source, elements);
  const size_t size = elements * (size_t)pshmem_n_pes();
  if (first.bytes != NULL && first.dest == dest) {
    tell_change(memcmp(dest, first.bytes, size) != 0);
    memcpy(dest, first.bytes, size);
    free(first.bytes);
    first.bytes = NULL;
  }
  if (happens("double_alltoall", elements)) first = copy_of(dest, dest, size, 0);
  return done;
}
