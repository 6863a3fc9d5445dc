// When a collective returns, its source belongs to the caller again, although the connections to the other PEs are full
// of earlier puts and signals that they have not received. Each PE changes its source at once. No PE sees the change.
// @since 1.5
#include <time.h>

#include "check.h"

enum { most_pes = 8, largest = 12500, n_puts = 100, fill_bytes = 16384, rounds = 2 };

static const size_t lengths[] = {1, 16, 17, 128, 513, 2048, 2049, largest};  // of 8 bytes
static long source[most_pes * largest], dest[most_pes * largest];
static char filler[fill_bytes], windows[n_puts][fill_bytes];
static uint64_t received;
static int me, n;

static long value(int pe, int round, size_t i) { return (pe + 1) * 1000000L + round * 100000L + (long)i; }
static long sum_of(int round, size_t i) {
  long sum = 0;
  for (int pe = 0; pe < n; pe++) sum += value(pe, round, i);
  return sum;
}

static int broadcast(size_t k) { return shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, k, 0); }
static int sum(size_t k) { return shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, k); }
static int fcollect(size_t k) { return shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, k); }
static int collect(size_t k) { return shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, k); }
static int alltoall(size_t k) { return shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, k); }

static void check(int (*call)(size_t), size_t k, int round) {
  for (size_t i = 0; i < k; i++) {
    if (call == broadcast) CHECK(dest[i] == value(0, round, i), "broadcast of %zu: %ld at %zu", k, dest[i], i);
    if (call == sum) CHECK(dest[i] == sum_of(round, i), "sum of %zu: %ld at %zu", k, dest[i], i);
    for (int pe = 0; pe < n && call != broadcast && call != sum; pe++) {
      const size_t at = (size_t)pe * k + i, there = call == alltoall ? (size_t)me * k + i : i;
      CHECK(dest[at] == value(pe, round, there), "blocks of %zu: %ld at %zu", k, dest[at], at);
    }
  }
}

// PE 0 in the first round, another one in each further round: the others compute while it fills their connections.
static void fill_connections(int round) {
  if (me != round % n) {
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    return;
  }
  for (int i = 0; i < n_puts; i++)
    for (int d = 1; d < n; d++)
      shmem_putmem_signal_nbi(windows[i], filler, fill_bytes, &received, 1, SHMEM_SIGNAL_ADD, (me + d) % n);
}

int main(void) {
  static int (*const calls[])(size_t) = {broadcast, sum, fcollect, collect, alltoall};
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  if (n > most_pes) return 0;
  for (size_t c = 0; c < LENGTH(calls); c++)
    for (size_t l = 0; l < LENGTH(lengths); l++)
      for (int round = 0; round < rounds; round++) {
        const size_t all = lengths[l] * (size_t)n;
        for (size_t i = 0; i < all; i++) source[i] = value(me, round, i), dest[i] = -1;
        shmem_barrier_all();
        fill_connections(round);
        CHECK(calls[c](lengths[l]) == 0, "the collective fails");
        for (size_t i = 0; i < all; i++) source[i] = -2;
        check(calls[c], lengths[l], round);
      }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
