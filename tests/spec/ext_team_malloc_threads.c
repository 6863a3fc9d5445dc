// Threads allocate memory of different teams at the same time, while others make contexts: no two blocks of a PE
// overlap, all are symmetric over their team, and every context reaches them.
// @extension
// @run pes=1,3,5
#include <shmemx.h>

#include "threads.h"

enum { ROUNDS = 150, KEPT = 5 };
static shmem_team_t teams[thread_count];
static long offset[thread_count], least[thread_count], most[thread_count];
static char* anchor;

static void check_symmetry(int number, const long* block) {
  offset[number] = (const char*)block - anchor;
  shmem_long_min_reduce(teams[number], &least[number], &offset[number], 1);
  shmem_long_max_reduce(teams[number], &most[number], &offset[number], 1);
  CHECK(least[number] == most[number], "thread %d: at %ld to %ld", number, least[number], most[number]);
  shmem_team_sync(teams[number]);
}

static void put_on_new_context(int number, long* to, long value) {
  shmem_ctx_t ctx;
  const int me = shmem_team_my_pe(teams[number]), n = shmem_team_n_pes(teams[number]);
  CHECK(shmem_team_create_ctx(teams[number], SHMEM_CTX_PRIVATE, &ctx) == 0, "no context");
  shmem_ctx_long_p(ctx, to, value, (me + 1) % n);
  shmem_ctx_destroy(ctx);  // completes it
}

static void allocate(int number) {
  long* kept[KEPT] = {NULL};
  for (int round = 0; round < ROUNDS; round++) {
    const int at = round % KEPT, count = 2 + (round * 31 + number * 17) % 200;
    if (kept[at] != NULL) {
      const int had = 2 + ((round - KEPT) * 31 + number * 17) % 200;
      for (int i = 1; i < had; i++)
        CHECK(kept[at][i] == 1000 * number + round - KEPT, "thread %d: %ld", number, kept[at][i]);
      CHECK(kept[at][0] == round - KEPT, "thread %d, round %d: a neighbour put %ld", number, round, kept[at][0]);
    }
    shmemx_team_free(teams[number], kept[at]);
    kept[at] = shmemx_team_malloc(teams[number], (size_t)count * sizeof(long));
    CHECK(kept[at] != NULL, "no memory");
    check_symmetry(number, kept[at]);
    for (int i = 1; i < count; i++) kept[at][i] = 1000 * number + round;
    put_on_new_context(number, kept[at], round);
    shmem_team_sync(teams[number]);
  }
}

int main(void) {
  init_multiple();
  anchor = shmem_malloc(1);
  for (int i = 0; i < thread_count; i++)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &teams[i]) == 0, "no team");
  run_threads(allocate);
  for (int i = 0; i < thread_count; i++) shmem_team_destroy(teams[i]);
  shmemx_heap_info_t info;
  shmemx_heap_info(&info, sizeof info);
  CHECK(info.team_used == 0, "%zu bytes remain", info.team_used);
  shmem_finalize();
  return 0;
}
