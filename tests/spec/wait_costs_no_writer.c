// A PE that waits inside the library is not woken by writes to other variables, and rarely by writes to its variable
// that do not end the wait. The test counts sleeps: each needless wake would be one more.
// @run pes=2,3
// @races Puts to one object follow each other without a fence, and no PE reads them.
#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "check.h"

enum { writes = 20000, far_writes = 100, beside = 64, block = 512, words = beside + block };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Counts the sleeps of the waiting thread. Between nodes the library has a thread of its own, which is not woken
// either.
static long sleeps(void) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

// Doubles of libfabric that do not announce puts, or have no descriptor to sleep in: a PE that waits for another node
// naps for 25 or 50 us at a time.
static int naps_between_nodes(void) {
  const char* fabric = getenv("FABRIC_ROW");
  return fabric != NULL && strcmp(fabric, "tcp") != 0 && strcmp(fabric, "verbs") != 0;
}

static long area[words];
static uint64_t signal_word;

static void in_barrier(void) {}
static void in_wait(void) { shmem_long_wait_until(&area[0], SHMEM_CMP_EQ, -1); }
static void in_signal_wait(void) { shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 7); }

static void write_beside(long i) {
  static long source[block];
  shmem_long_p(&area[beside], i, 1);
  shmem_long_put(&area[beside], source, block, 1);
  shmem_long_atomic_add(&area[beside], 1, 1);
}
static void count_up(long i) { shmem_long_p(&area[0], i, 1); }

// PE 0 writes for at least 0.3 s while PE 1 waits. A sleep that ends at its limit (1, 2, 4 ... 32 ms) counts too, and
// so does a sleep after a needless wake-up, at least 3 ms after the one before. Data from another node wakes the
// waiter, because the waiter receives it.
static void run(const char* what, void (*wait)(void), void (*write)(long), long most_in_a_second) {
  const int me = shmem_my_pe(), is_far = shmem_ptr(area, me == 0 ? 1 : 0) == NULL;
  shmem_barrier_all();
  const double began = seconds();
  if (me == 0) {
    for (long i = 1; i <= (is_far ? far_writes : writes) || seconds() - began < 0.3; i++) write(i);
    shmem_fence();  // a network without order may deliver puts to one object in any order
    shmem_long_p(&area[0], -1, 1);
    shmem_uint64_p(&signal_word, 7, 1);
    shmem_barrier_all();
  } else {
    const long before = sleeps();
    if (me == 1) wait();
    shmem_barrier_all();
    const double lasted = seconds() - began;
    const double most = 36 + (double)most_in_a_second * lasted;
    CHECK((is_far && (me == 1 || naps_between_nodes())) || sleeps() - before < (long)most,
          "%s: PE %d slept %ld times in %.1f s", what, me, sleeps() - before, lasted);
  }
  area[0] = 0;
  signal_word = 0;
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  run("barrier", in_barrier, write_beside, 40);
  run("wait_until", in_wait, write_beside, 40);
  run("signal_wait_until", in_signal_wait, write_beside, 40);
  run("a counter", in_wait, count_up, 400);
  shmem_finalize();
  return 0;
}
