// Splits of splits: numbers are relative to the parent, and parents stay valid with their children.
// @since 1.5
#include "check.h"

enum { depth = 4 };

int main(void) {
  // Each level has its own result, because a peer that is ahead may already write to this PE in its next reduction.
  static int sum[depth + 1], one = 1;
  shmem_init();
  shmem_team_t parents[depth + 1];
  int levels = 0;
  parents[0] = SHMEM_TEAM_WORLD;
  // Each level leaves out the first PE of its parent, as long as this PE is still a member.
  while (levels < depth) {
    const int n = shmem_team_n_pes(parents[levels]);
    if (n < 2) break;
    shmem_team_t child;
    CHECK(shmem_team_split_strided(parents[levels], 1, 1, n - 1, NULL, 0, &child) == 0, "split");
    if (child == SHMEM_TEAM_INVALID) {
      CHECK(shmem_team_my_pe(parents[levels]) == 0, "only the first PE is left out");
      break;
    }
    CHECK(shmem_team_my_pe(child) == shmem_my_pe() - levels - 1, "number in level %d", levels);
    parents[++levels] = child;
  }
  for (int level = levels; level >= 0; level--) {
    CHECK(shmem_int_sum_reduce(parents[level], &sum[level], &one, 1) == 0, "reduce");
    CHECK(sum[level] == shmem_n_pes() - level, "level %d has %d members", level, sum[level]);
    if (level > 0) shmem_team_destroy(parents[level]);
  }
  shmem_finalize();
  return 0;
}
