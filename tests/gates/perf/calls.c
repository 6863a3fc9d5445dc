// The calls of sockets that an operation between two nodes costs, over Oshen's own TCP: PE 0 counts those of both PEs
// and of all their threads. Calls that bring no data are not counted, because their number depends on the time. Prints
// a line for each operation: its name, then for PE 0 and for PE 1 the sends, the receives and the bytes sent of
// `per_batch` operations (calls.py, README.md).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { per_batch = 16, batches = 9, warm_up = 100, most_bytes = 1024 };

typedef struct {
  long sends, receives, bytes;
} counts;
static counts calls;  // of this PE; PE 0 gets those of the other one

static ssize_t sent(ssize_t n) {
  if (n > 0) {
    __atomic_fetch_add(&calls.sends, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls.bytes, n, __ATOMIC_RELAXED);
  }
  return n;
}
static ssize_t received(ssize_t n) {
  if (n > 0) __atomic_fetch_add(&calls.receives, 1, __ATOMIC_RELAXED);
  return n;
}

// In the place of those of the C library.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t send(int fd, const void* from, size_t n, int how) { return sent(REAL(send)(fd, from, n, how)); }
ssize_t sendmsg(int fd, const struct msghdr* m, int how) { return sent(REAL(sendmsg)(fd, m, how)); }
ssize_t recv(int fd, void* to, size_t n, int how) { return received(REAL(recv)(fd, to, n, how)); }
ssize_t recvmsg(int fd, struct msghdr* m, int how) { return received(REAL(recvmsg)(fd, m, how)); }

// ---- operations

static int me;
static char *dest, *source;
static long *word, number;
static uint64_t* signal_word;

static void put(size_t bytes) {
  if (me != 0) return;
  shmem_putmem(dest, source, bytes, 1);
  shmem_quiet();
}
static void get(size_t bytes) {
  if (me == 0) shmem_getmem(dest, source, bytes, 1);
}
static void fetch_add(size_t bytes) {
  (void)bytes;
  if (me == 0) (void)shmem_long_atomic_fetch_add(word + 1, 1, 1);
}
// There and back.
static void flag(size_t bytes) {
  (void)bytes;
  ++number;
  if (me == 0) shmem_long_p(word, number, 1);
  shmem_long_wait_until(word, SHMEM_CMP_GE, number);
  if (me == 1) shmem_long_p(word, number, 0);
}
static void put_signal(size_t bytes) {
  ++number;
  if (me == 0) shmem_putmem_signal(dest, source, bytes, signal_word, (uint64_t)number, SHMEM_SIGNAL_SET, 1);
  shmem_signal_wait_until(signal_word, SHMEM_CMP_GE, (uint64_t)number);
  if (me == 1) shmem_putmem_signal(dest, source, bytes, signal_word, (uint64_t)number, SHMEM_SIGNAL_SET, 0);
}
static void barrier(size_t bytes) {
  (void)bytes;
  shmem_barrier_all();
}
static void broadcast(size_t bytes) { shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, 0); }
static void sum(size_t bytes) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, (long*)dest, (long*)source, bytes / 8); }
static void fcollect(size_t bytes) { shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void alltoall(size_t bytes) { shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes); }

static const struct {
  const char* name;
  void (*run)(size_t bytes);
  size_t bytes;
} operations[] = {
    {"put_8", put, 8},
    {"put_1k", put, 1024},
    {"get_8", get, 8},
    {"get_1k", get, 1024},
    {"fetch_add", fetch_add, 8},
    {"flag", flag, 8},
    {"put_signal_8", put_signal, 8},
    {"barrier", barrier, 0},
    {"broadcast_8", broadcast, 8},
    {"broadcast_1k", broadcast, 1024},
    {"sum_8", sum, 8},
    {"sum_1k", sum, 1024},
    {"fcollect_8", fcollect, 8},
    {"fcollect_1k", fcollect, 1024},
    {"alltoall_8", alltoall, 8},
    {"alltoall_1k", alltoall, 1024},
};
enum { n_operations = sizeof operations / sizeof operations[0] };

// ---- counting

typedef struct {
  counts of[2];
} both;

static both counted(void) {
  both now;
  shmem_getmem(&now.of[1], &calls, sizeof calls, 1);
  now.of[0] = calls;
  return now;
}

static counts difference(counts a, counts b) {
  return (counts){a.sends - b.sends, a.receives - b.receives, a.bytes - b.bytes};
}

// The cost of `n` operations, two barriers and a look at the counts.
static both batch(int of, int n) {
  both before, after;
  shmem_barrier_all();
  if (me == 0) before = counted();
  shmem_barrier_all();
  for (int i = 0; i < n; i++) operations[of].run(operations[of].bytes);
  shmem_barrier_all();
  if (me != 0) return (both){0};
  after = counted();
  for (int p = 0; p < 2; p++) after.of[p] = difference(after.of[p], before.of[p]);
  return after;
}

static int by_value(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}
static long median(long* values) {
  qsort(values, batches, sizeof *values, by_value);
  return values[batches / 2];
}

// An acknowledgement that found nothing to travel with is a message more in one batch, and not in the median.
static counts median_of(int p, const both* all) {
  long sends[batches], receives[batches], bytes[batches];
  for (int b = 0; b < batches; b++) {
    sends[b] = all[b].of[p].sends;
    receives[b] = all[b].of[p].receives;
    bytes[b] = all[b].of[p].bytes;
  }
  return (counts){median(sends), median(receives), median(bytes)};
}

static void count(int of) {
  both with[batches], without[batches];
  for (int i = 0; i < warm_up; i++) operations[of].run(operations[of].bytes);
  for (int b = 0; b < batches; b++) {
    with[b] = batch(of, per_batch);
    without[b] = batch(of, 0);
  }
  if (me != 0) return;
  printf("calls: %s", operations[of].name);
  for (int p = 0; p < 2; p++) {
    const counts c = difference(median_of(p, with), median_of(p, without));
    printf(" %ld %ld %ld", c.sends, c.receives, c.bytes);
  }
  printf("\n");
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  if (shmem_n_pes() != 2) shmem_global_exit(2);
  dest = shmem_calloc(2, 2 * most_bytes);
  source = shmem_calloc(2, 2 * most_bytes);
  word = shmem_calloc(2, sizeof *word);
  signal_word = shmem_calloc(1, sizeof *signal_word);
  for (int of = 0; of < n_operations; of++) count(of);
  shmem_finalize();
  return 0;
}
