// Threads run collectives at the same time, each on its own team; one of these is the world.
// @since 1.5
#include "threads.h"

enum { rounds = 150, count = 40 };

static shmem_team_t teams[thread_count + 1];  // the last one is the world
static long source[thread_count + 1][count], sum[thread_count + 1][count], all[thread_count + 1][64];
static long one[thread_count + 1], broadcast[thread_count + 1];

static void collect_on_own_team(int number) {
  shmem_team_t team = teams[number];
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  for (long r = 0; r < rounds; r++) {
    for (int i = 0; i < count; i++) source[number][i] = me + r + i;
    one[number] = 10 * me + number;
    CHECK(shmem_team_sync(team) == 0, "sync");
    CHECK(shmem_long_sum_reduce(team, sum[number], source[number], count) == 0, "sum");
    for (int i = 0; i < count; i++)
      CHECK(sum[number][i] == (long)n * (n - 1) / 2 + n * (r + i), "thread %d, round %ld", number, r);
    CHECK(shmem_long_fcollect(team, all[number], &one[number], 1) == 0, "fcollect");
    for (int i = 0; i < n; i++) CHECK(all[number][i] == 10 * i + number, "thread %d, place %d", number, i);
    const int root = (int)r % n;
    CHECK(shmem_long_broadcast(team, &broadcast[number], &one[number], 1, root) == 0, "broadcast");
    CHECK(broadcast[number] == 10 * root + number, "thread %d, root %d", number, root);
  }
}

static void* use_the_world(void* unused) {
  collect_on_own_team(thread_count);
  return unused;
}

int main(void) {
  init_multiple();
  const int n = shmem_n_pes();
  for (int i = 0; i < thread_count; i++)  // every other team is in reverse order
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, i % 2 ? n - 1 : 0, i % 2 ? -1 : 1, n, NULL, 0, &teams[i]) == 0,
          "split");
  teams[thread_count] = SHMEM_TEAM_WORLD;
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, use_the_world, NULL) == 0, "pthread_create");
  run_threads(collect_on_own_team);
  pthread_join(worker, NULL);
  for (int i = 0; i < thread_count; i++) shmem_team_destroy(teams[i]);
  shmem_finalize();
  return 0;
}
