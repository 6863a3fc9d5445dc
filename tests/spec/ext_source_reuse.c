// When a blocking call of the extensions returns, its source belongs to the caller again. No peer may see the caller's
// later writes there, although some peers have not entered the call yet.
// @extension
// @run
// @run pes=5 OSHEN_CHAOS=3
#include <shmemx.h>
#include <time.h>

#include "check.h"

enum { count = 3000, most = 16 };

static long source[most * count], dest[most * count];
static size_t lengths[most], places[most];

static int me, n;

static int alltoallv(int root) {
  (void)root;
  return shmemx_long_alltoallv(SHMEM_TEAM_WORLD, dest, lengths, places, source, lengths, places);
}
static int gather(int root) { return shmemx_long_gather(SHMEM_TEAM_WORLD, dest, source, count, root); }
static int scatter(int root) { return shmemx_long_scatter(SHMEM_TEAM_WORLD, dest, source, count, root); }
static int gatherv(int root) {
  return shmemx_long_gatherv(SHMEM_TEAM_WORLD, dest, lengths, places, source, count, root);
}
static int scatterv(int root) {
  return shmemx_long_scatterv(SHMEM_TEAM_WORLD, dest, count, source, lengths, places, root);
}
static int sum_to_root(int root) { return shmemx_long_sum_reduce_to_root(SHMEM_TEAM_WORLD, dest, source, count, root); }
static int reduce_scatter(int root) {
  (void)root;
  return shmemx_long_sum_reduce_scatter(SHMEM_TEAM_WORLD, dest, source, count);
}

static const struct {
  const char* name;
  int (*call)(int root);
  int rooted, summed,
      blocks; /* whether only the root has a result; whether it is a sum; its blocks, 0: one of each PE */
} rows[] = {{"alltoallv", alltoallv, 0, 0, 0},
            {"gather", gather, 1, 0, 0},
            {"scatter", scatter, 0, 0, 1},
            {"gatherv", gatherv, 1, 0, 0},
            {"scatterv", scatterv, 0, 0, 1},
            {"sum to root", sum_to_root, 1, 1, 1},
            {"reduce_scatter", reduce_scatter, 0, 1, 1}};

/* Element i of block b of PE pe. Blocks of one PE differ only in their first elements. */
static long value(int pe, int block, int i) { return pe * 1000000L + block * 10000L + i; }

static void check(int row, int root) {
  const int blocks = rows[row].blocks != 0 ? rows[row].blocks : n;
  if (rows[row].rooted && me != root) return;
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < count; i++) {
      long wanted = 0;
      const int mine = rows[row].call == gather || rows[row].call == gatherv || rows[row].call == sum_to_root ? 0 : me;
      for (int pe = 0; rows[row].summed && pe < n; pe++) wanted += value(pe, mine, i);
      if (!rows[row].summed) wanted = value(rows[row].blocks == 0 ? b : root, mine, i);
      CHECK(dest[b * count + i] == wanted, "%s: block %d, element %d: %ld, expected %ld", rows[row].name, b, i,
            dest[b * count + i], wanted);
    }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  for (int pe = 0; pe < n; pe++) lengths[pe] = count, places[pe] = (size_t)pe * count;
  for (int row = 0; row < (int)LENGTH(rows); row++)
    for (int late = 0; late < n; late++) {
      const int root = (late + row) % n;
      for (int b = 0; b < n; b++)
        for (int i = 0; i < count; i++) source[b * count + i] = value(me, b, i);
      memset(dest, 0, sizeof dest);
      shmem_barrier_all();
      if (me == late) nanosleep(&(struct timespec){0, 3000000}, NULL);
      CHECK(rows[row].call(root) == 0, "%s", rows[row].name);
      memset(source, 0xa5, sizeof source);
      check(row, root);
      shmem_barrier_all();
    }
  shmem_finalize();
  return 0;
}
