// When a collective returns on a PE, its dest and its source belong to that PE again, even if other PEs are still in
// it. Each PE overwrites both at once, and its peers must still get the earlier data. Each PE is slow at different
// points.
// @since 1.5
// @run
// @run pes=4,5 OSHEN_COLL_BROADCAST=cooperative OSHEN_COLL_FCOLLECT=ring-pull OSHEN_COLL_ALLTOALL=pairwise-pull OSHEN_COLL_REDUCE=partitioned
// @run pes=4,5 OSHEN_COLL_BROADCAST=scatter-allgather-pull OSHEN_COLL_FCOLLECT=bruck-pull OSHEN_COLL_ALLTOALL=bruck-pull OSHEN_COLL_REDUCE=rabenseifner-pull
// @run pes=4,5 OSHEN_COLL_BROADCAST=binomial-pull OSHEN_COLL_FCOLLECT=recursive-doubling-pull OSHEN_COLL_ALLTOALL=linear-pull OSHEN_COLL_REDUCE=recursive-doubling-pull
// @run pes=4,5 OSHEN_COLL_BROADCAST=chain-put OSHEN_COLL_FCOLLECT=ring-put OSHEN_COLL_ALLTOALL=pairwise-message OSHEN_COLL_REDUCE=ring-put
// @run pes=4,5 OSHEN_COLL_BROADCAST=knomial-put OSHEN_COLL_FCOLLECT=linear-pull OSHEN_COLL_ALLTOALL=bruck-put OSHEN_COLL_REDUCE=linear-pull
#include <time.h>
#include "check.h"

enum { most = 16384, rounds = 4 };

static long *dest, *source;
static int round_number;

static void dawdle(void) {
  const int turn = round_number * 7919 + shmem_my_pe() * 104729;
  if (turn % 3 == 0) nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = turn % 7 * 20000}, NULL);
}

static void prepare(size_t n) {
  for (size_t i = 0; i < n; i++) source[i] = 1000 * round_number + 10 * (long)i + shmem_my_pe();
  shmem_barrier_all();
  dawdle();
}

// The earlier value of element i of PE `pe`.
static long of(int pe, size_t i) { return 1000 * round_number + 10 * (long)i + pe; }

static void scribble(size_t n) {
  memset(dest, 0x77, n * sizeof *dest);
  memset(source, 0x66, n * sizeof *source);
  round_number++;
}

static void broadcast(size_t count, int root) {
  prepare(count);
  CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, count, root) == 0, "broadcast");
  for (size_t i = 0; i < count; i++) CHECK(dest[i] == of(root, i), "broadcast of %zu: %ld at %zu", count, dest[i], i);
  scribble(count);
}

static void fcollect(size_t count, int n) {
  prepare(count);
  CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, count) == 0, "fcollect");
  for (int pe = 0; pe < n; pe++)
    for (size_t i = 0; i < count; i++)
      CHECK(dest[(size_t)pe * count + i] == of(pe, i), "fcollect of %zu: element %zu of PE %d", count, i, pe);
  scribble(count * (size_t)n);
}

static void alltoall(size_t count, int me, int n) {
  prepare(count * (size_t)n);
  CHECK(shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, count) == 0, "alltoall");
  for (int pe = 0; pe < n; pe++)
    for (size_t i = 0; i < count; i++)
      CHECK(dest[(size_t)pe * count + i] == of(pe, (size_t)me * count + i), "alltoall of %zu: element %zu of PE %d",
            count, i, pe);
  scribble(count * (size_t)n);
}

static void sum(size_t count, int n) {
  prepare(count);
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, count) == 0, "sum");
  for (size_t i = 0; i < count; i++)
    CHECK(dest[i] == n * of(0, i) + (long)n * (n - 1) / 2, "sum of %zu: %ld at %zu", count, dest[i], i);
  scribble(count);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  dest = shmem_malloc((size_t)n * most * sizeof *dest);
  source = shmem_malloc((size_t)n * most * sizeof *source);
  for (size_t count = 1; count <= most; count *= 4)
    for (int round = 0; round < rounds; round++) {
      broadcast(count, round % n);
      fcollect(count, n);
      alltoall(count, me, n);
      sum(count, n);
    }
  shmem_finalize();
  return 0;
}
