/* Preloaded into a mini-app: an OpenSHMEM library with one fault, FAULT=what:when:bytes. The fault happens once, in
 * call number `when` of its kind that moves at least `bytes` from or to another PE. It happens on PE 0 unless stated
 * otherwise. An app that still prints "right" does not check the data that it received.
 *
 *   drop_put       a put never arrives; of a put with signal, only the signal arrives
 *
 *   short_put      the second half of a put is missing
 *
 *   late_put       a put arrives after its flag, as if there were no fence
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
 */
#define _GNU_SOURCE
#include <pshmem.h>
#include <shmem.h>
#include <stdatomic.h>
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

static void keep(void* dest, const void* source, size_t size, int pe) {
  late = (struct late){dest, malloc(size), size, pe};
  memcpy(late.bytes, source, size);
}

static void deliver(void) {
  if (late.bytes == NULL) return;
  wait_a_while();
  pshmem_putmem(late.dest, late.bytes, late.size, late.pe);
  free(late.bytes);
  late.bytes = NULL;
}

/* Set from the put that no_barrier counts until the barrier that does not wait. */
static atomic_int unguarded;

static void put(void* dest, const void* source, size_t size, int pe) {
  if (here("drop_put", size, pe)) return;
  if (pe != pshmem_my_pe() && happens("no_barrier", size)) {
    atomic_store(&unguarded, 1);
    if (pshmem_my_pe() == 0) wait_a_while();
  }
  if (here("short_put", size, pe)) size -= (size - least) / 2;
  if (here("late_put", size, pe))
    keep(dest, source, size, pe);
  else
    pshmem_putmem(dest, source, size, pe);
}

void shmem_putmem(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

void shmem_putmem_nbi(void* dest, const void* source, size_t size, int pe) { put(dest, source, size, pe); }

void shmem_putmem_signal_nbi(void* dest, const void* source, size_t size, uint64_t* word, uint64_t value, int operation,
                             int pe) {
  if (here("drop_put", size, pe)) {
    pshmem_putmem_signal_nbi(dest, source, 0, word, value, operation, pe);
  } else if (here("signal_first", size, pe)) {
    pshmem_putmem_signal_nbi(dest, source, 0, word, value, operation, pe);
    keep(dest, source, size, pe);
  } else {
    pshmem_putmem_signal_nbi(dest, source, size, word, value, operation, pe);
  }
}

void shmem_uint64_p(uint64_t* dest, uint64_t value, int pe) { put(dest, &value, sizeof value, pe); }

/* ---- gets */

void shmem_getmem(void* dest, const void* source, size_t size, int pe) {
  if (!happens_there("stale_get", size, pe)) pshmem_getmem(dest, source, size, pe);
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
  return pshmem_alltoallmem(team, dest, source, elements);
}
