// The guarantees of the standard for SHMEM_TEAM_INVALID and for triplets that give no team.
// @since 1.6
#include "check.h"

static void check_queries(void) {
  shmem_team_config_t config = {.num_contexts = 77};
  int heap_like;
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1, "my_pe");
  CHECK(shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1, "n_pes");
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0, "get_config");
  CHECK(config.num_contexts == 77, "get_config wrote %d", config.num_contexts);
  CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, &heap_like, 0) == NULL, "team_ptr");
  shmem_team_destroy(SHMEM_TEAM_INVALID);  // does nothing
}

static void check_invalid_parent(void) {
  shmem_team_t team = SHMEM_TEAM_WORLD, other = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0, "split_strided");
  CHECK(team == SHMEM_TEAM_INVALID, "split_strided left a team");
  CHECK(shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, NULL, 0, &team, NULL, 0, &other) != 0, "split_2d");
  CHECK(team == SHMEM_TEAM_INVALID && other == SHMEM_TEAM_INVALID, "split_2d left a team");
}

static void check_bad_triplet(int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  const int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team);
  CHECK(status != 0, "(%d, %d, %d) made a team", start, stride, size);
  CHECK(team == SHMEM_TEAM_INVALID, "(%d, %d, %d) left a handle", start, stride, size);
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  check_queries();
  check_invalid_parent();
  check_bad_triplet(-1, 1, 1);
  check_bad_triplet(n, 1, 1);
  check_bad_triplet(0, 1, 0);
  check_bad_triplet(0, 1, -1);
  check_bad_triplet(0, 1, n + 1);
  check_bad_triplet(0, n, 2);
  check_bad_triplet(n - 1, 1, 2);  // would wrap around
  check_bad_triplet(0, -1, 2);
  check_bad_triplet(0, 0, 2);
  check_bad_triplet(0, 0x40000000, 5);  // start + 4 * stride overflows an int
  shmem_barrier_all();                  // the world is unaffected
  shmem_finalize();
  return 0;
}
