// Extension: shmemx_team_split_color groups by color and orders by key, then by the number in the
// parent.
// @since 1.6
// @extension
#include <shmemx.h>
#include "check.h"

static int mine, all[64];

// Colour pe % colors and descending keys: the members are in descending order.
static void check_colors(int colors) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t team;
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, me % colors, -me, NULL, 0, &team) == 0, "split");
  const int size = (n - 1 - me % colors) / colors + 1;
  CHECK(shmem_team_n_pes(team) == size, "%d of color %d", shmem_team_n_pes(team), me % colors);
  mine = me;
  shmem_barrier_all();  // the next round writes `all` again
  CHECK(shmem_int_fcollect(team, all, &mine, 1) == 0, "fcollect");
  for (int i = 0; i < size; i++)
    CHECK(all[i] == me % colors + (size - 1 - i) * colors, "member %d is PE %d", i, all[i]);
  shmem_team_destroy(team);
}

static void check_ties_and_outsiders(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, 0, 5, NULL, 0, &team) == 0, "one color, one key");
  CHECK(shmem_team_my_pe(team) == me && shmem_team_n_pes(team) == n, "equal keys keep the order");
  shmem_team_destroy(team);
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, me == 0 ? -1 : 3, 0, NULL, 0, &team) == 0, "outsider");
  CHECK((team == SHMEM_TEAM_INVALID) == (me == 0), "only PE 0 stays outside");
  if (me != 0) CHECK(shmem_team_n_pes(team) == n - 1, "%d members", shmem_team_n_pes(team));
  shmem_team_destroy(team);
}

int main(void) {
  shmem_init();
  for (int colors = 1; colors <= 3; colors++) check_colors(colors);
  check_ties_and_outsiders();
  shmem_finalize();
  return 0;
}
