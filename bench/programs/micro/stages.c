// Time and memory of each stage of a program's life.
#include "stages.h"

#include <shmem.h>

#include "cases.h"

enum { heap_bytes = 8 << 20 };

static long one, sum, sum_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], sum_sync[SHMEM_REDUCE_SYNC_SIZE];

static void communicate(int me, int pes, char* heap) {
  shmem_putmem(heap, &me, sizeof me, (me + 1) % pes);
  shmem_barrier_all();
  stage_reached("put_one");
  for (int pe = 0; pe < pes; ++pe) shmem_putmem(heap + 64 * me, &me, sizeof me, pe);
  shmem_barrier_all();
  stage_reached("put_all");
  one = 1;
  shmem_barrier_all();
  shmem_long_sum_to_all(&sum, &one, 1, 0, 0, pes, sum_work, sum_sync);
  shmem_barrier_all();
  stage_reached("collective");
  stage_details();
}

#if BENCH_HAS_1_5
static void make_teams(int pes) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
  shmem_team_sync(SHMEM_TEAM_WORLD);
  stage_reached("team");
  if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
}
#endif

#if BENCH_HAS_CONTEXTS
static void make_contexts(void) {
  enum { count = 8 };
  shmem_ctx_t made[count];
  int got = 0;
  while (got < count && shmem_ctx_create(0, &made[got]) == 0) ++got;
  stage_reached("contexts");
  while (got > 0) shmem_ctx_destroy(made[--got]);
}
#endif

int main(void) {
  stage_reached("main");
  shmem_init();
  stage_reached("init");
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  for (size_t i = 0; i < sizeof sum_sync / sizeof sum_sync[0]; ++i) sum_sync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  stage_reached("barrier");
  stage_details();
  char* heap = shmem_malloc(heap_bytes);
  if (heap == NULL) shmem_global_exit(2);
  stage_reached("heap");
  memset(heap, 1, heap_bytes);
  stage_reached("touch");
  communicate(me, pes, heap);
#if BENCH_HAS_1_5
  make_teams(pes);
#endif
#if BENCH_HAS_CONTEXTS
  make_contexts();
#endif
  if (sum != pes) shmem_global_exit(3);
  shmem_free(heap);
  stages_tell(me, pes);
  shmem_finalize();
  stage_reached("finalize");
  stages_tell(me, pes);
  return 0;
}
