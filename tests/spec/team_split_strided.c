// SHMEM_TEAM_SPLIT_STRIDED: every valid (start, stride, size) of the world, members, numbering,
// non-members.
// @since 1.5
#include "check.h"

// The position of world PE `pe` in the triplet; -1 if it is not in it.
static int place(int pe, int start, int stride, int size) {
  for (int i = 0; i < size; i++)
    if (start + i * stride == pe) return i;
  return -1;
}

static void check_triplet(int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  const int mine = place(shmem_my_pe(), start, stride, size);
  const int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team);
  CHECK(status == 0, "(%d, %d, %d) returned %d", start, stride, size, status);
  CHECK((team == SHMEM_TEAM_INVALID) == (mine < 0), "(%d, %d, %d): handle", start, stride, size);
  CHECK(shmem_team_my_pe(team) == mine, "(%d, %d, %d): I am %d, not %d", start, stride, size, shmem_team_my_pe(team),
        mine);
  if (mine < 0) return;
  CHECK(shmem_team_n_pes(team) == size, "(%d, %d, %d): size", start, stride, size);
  for (int pe = 0; pe < shmem_n_pes(); pe++)
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) == place(pe, start, stride, size),
          "(%d, %d, %d): place of PE %d", start, stride, size, pe);
  // The team is usable at once, without a synchronisation.
  CHECK(shmem_team_sync(team) == 0, "sync");
  shmem_team_destroy(team);
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  for (int start = 0; start < n; start++)
    for (int stride = -n; stride <= n; stride++)
      for (int size = 1; size <= n; size++) {
        const int last = start + (size - 1) * stride;
        if (last < 0 || last >= n || (stride == 0 && size != 1)) continue;
        check_triplet(start, stride, size);
      }
  shmem_finalize();
  return 0;
}
