// Threads create and destroy teams at the same time, each from a parent of its own: a split is a
// collective on its parent, and collectives on different teams may run in different threads.
// @since 1.5
#include "threads.h"

enum { rounds = 100 };

static shmem_team_t parents[thread_count];
static long sum[thread_count], one[thread_count] = {1, 1, 1};

static void split_own_parent(int number) {
  const int n = shmem_team_n_pes(parents[number]);
  for (int r = 0; r < rounds; r++) {
    const int size = 1 + (r + number) % n;
    shmem_team_t team, row, column;
    CHECK(shmem_team_split_strided(parents[number], 0, 1, size, NULL, 0, &team) == 0, "thread %d", number);
    if (team != SHMEM_TEAM_INVALID) {
      CHECK(shmem_long_sum_reduce(team, &sum[number], &one[number], 1) == 0, "thread %d", number);
      CHECK(sum[number] == size, "thread %d, round %d: %ld of %d members", number, r, sum[number], size);
    }
    shmem_team_destroy(team);
    CHECK(shmem_team_split_2d(parents[number], 2, NULL, 0, &row, NULL, 0, &column) == 0, "thread %d", number);
    CHECK(shmem_team_sync(row) == 0 && shmem_team_sync(column) == 0, "thread %d", number);
    shmem_team_destroy(column);
    shmem_team_destroy(row);
    // The next sum has the same dest, so every PE must have finished this one.
    CHECK(shmem_team_sync(parents[number]) == 0, "thread %d", number);
  }
}

int main(void) {
  init_multiple();
  for (int i = 0; i < thread_count; i++)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &parents[i]) == 0, "split");
  run_threads(split_own_parent);
  for (int i = 0; i < thread_count; i++) shmem_team_destroy(parents[i]);
  shmem_finalize();
  return 0;
}
