// SHMEM_TEAM_TRANSLATE_PE between any two teams: -1 for a PE that is in only one, for an invalid
// handle and for a number outside the source team.
// @since 1.5
#include "teams.h"

static void check_into(shmem_team_t team, const char* shape) {
  const int n = shmem_team_n_pes(team);
  int members = 0;
  for (int i = 0; i < n; i++) {
    const int pe = world_pe(team, i);
    CHECK(pe >= 0 && pe < shmem_n_pes(), "%s: member %d is PE %d", shape, i, pe);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) == i, "%s: and back", shape);
    CHECK(shmem_team_translate_pe(team, i, team) == i, "%s: into itself", shape);
  }
  for (int pe = 0; pe < shmem_n_pes(); pe++) members += shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) >= 0;
  CHECK(members == n, "%s: %d of %d members", shape, members, n);
  CHECK(world_pe(team, shmem_team_my_pe(team)) == shmem_my_pe(), "%s: myself", shape);
  CHECK(shmem_team_translate_pe(team, 0, SHMEM_TEAM_INVALID) == -1, "into the invalid team");
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, team) == -1, "from the invalid team");
}

int main(void) {
  shmem_init();
  for_each_team(check_into);
  shmem_finalize();
  return 0;
}
