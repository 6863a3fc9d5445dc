// The C11 names of the extensions select the function by the type of dest, also with complex types and qualified
// sources.
// @extension
#include <shmemx.h>

#include "check.h"
#include "types.h"

enum { MOST_PES = 16 };

#define MOVES(NAME, TYPE)                                                                  \
  {                                                                                        \
    static TYPE dest[MOST_PES], source[MOST_PES];                                          \
    const TYPE* from = source;                                                             \
    for (int pe = 0; pe < n; pe++) source[pe] = (TYPE)(me + pe);                           \
    shmem_barrier_all();                                                                   \
    CHECK(shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, ones, at, from, ones, at) == 0, #NAME); \
    for (int pe = 0; pe < n; pe++) CHECK(dest[pe] == (TYPE)(me + pe), #NAME " alltoallv"); \
    shmem_barrier_all();                                                                   \
    CHECK(shmemx_gather(SHMEM_TEAM_WORLD, dest, from, 1, 0) == 0, #NAME);                  \
    CHECK(me != 0 || dest[n - 1] == (TYPE)(n - 1), #NAME " gather");                       \
    shmem_barrier_all();                                                                   \
    CHECK(shmemx_gatherv(SHMEM_TEAM_WORLD, dest, ones, at, source, 1, n - 1) == 0, #NAME); \
    CHECK(me != n - 1 || dest[0] == (TYPE)0, #NAME " gatherv");                            \
    shmem_barrier_all();                                                                   \
    CHECK(shmemx_scatter(SHMEM_TEAM_WORLD, dest, from, 1, n - 1) == 0, #NAME);             \
    CHECK(dest[0] == (TYPE)(n - 1 + me), #NAME " scatter");                                \
    shmem_barrier_all();                                                                   \
    CHECK(shmemx_scatterv(SHMEM_TEAM_WORLD, dest, 1, from, ones, at, 0) == 0, #NAME);      \
    CHECK(dest[0] == (TYPE)me, #NAME " scatterv");                                         \
    shmem_barrier_all();                                                                   \
  }

#define REDUCES(NAME, TYPE)                                                              \
  {                                                                                      \
    static TYPE dest[MOST_PES], source[MOST_PES];                                        \
    for (int pe = 0; pe < n; pe++) source[pe] = (TYPE)(me + pe);                         \
    shmem_barrier_all();                                                                 \
    CHECK(shmemx_sum_reduce_to_root(SHMEM_TEAM_WORLD, dest, source, 1, 0) == 0, #NAME);  \
    CHECK(me != 0 || dest[0] == (TYPE)(n * (n - 1) / 2), #NAME " reduce_to_root");       \
    shmem_barrier_all();                                                                 \
    CHECK(shmemx_sum_reduce_scatter(SHMEM_TEAM_WORLD, dest, source, 1) == 0, #NAME);     \
    CHECK(dest[0] == (TYPE)(n * (n - 1) / 2 + n * me), #NAME " reduce_scatter");         \
    shmem_barrier_all();                                                                 \
    CHECK(shmemx_sum_reduce_scatterv(SHMEM_TEAM_WORLD, dest, source, ones) == 0, #NAME); \
    CHECK(dest[0] == (TYPE)(n * (n - 1) / 2 + n * me), #NAME " reduce_scatterv");        \
    shmem_barrier_all();                                                                 \
  }

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  size_t ones[MOST_PES], at[MOST_PES];
  for (size_t pe = 0; pe < MOST_PES; pe++) ones[pe] = 1, at[pe] = pe;
  STANDARD_RMA_TYPES(MOVES)
  ARITHMETIC_REDUCE_TYPES(REDUCES)
  shmem_finalize();
  return 0;
}
