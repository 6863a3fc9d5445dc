// SHMEM_TEAM_SPLIT_2D: x = pe % xrange, y = pe / xrange, for every xrange, the short last row
// included; an xrange above the size counts as the size.
// @since 1.5
#include "check.h"

static void check_xrange(shmem_team_t parent, int xrange) {
  const int me = shmem_team_my_pe(parent), n = shmem_team_n_pes(parent);
  const int width = xrange > n ? n : xrange, x = me % width, y = me / width;
  const int row_length = (y + 1) * width <= n ? width : n - y * width;
  const int column_length = (n - x + width - 1) / width;
  shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;

  CHECK(shmem_team_split_2d(parent, xrange, NULL, 0, &row, NULL, 0, &column) == 0, "xrange %d", xrange);
  CHECK(shmem_team_my_pe(row) == x && shmem_team_n_pes(row) == row_length,
        "xrange %d: I am %d of %d in my row, not %d of %d", xrange, shmem_team_my_pe(row), shmem_team_n_pes(row), x,
        row_length);
  CHECK(shmem_team_my_pe(column) == y && shmem_team_n_pes(column) == column_length,
        "xrange %d: I am %d of %d in my column, not %d of %d", xrange, shmem_team_my_pe(column),
        shmem_team_n_pes(column), y, column_length);
  for (int i = 0; i < row_length; i++)
    CHECK(shmem_team_translate_pe(row, i, parent) == y * width + i, "row member %d", i);
  for (int i = 0; i < column_length; i++)
    CHECK(shmem_team_translate_pe(column, i, parent) == i * width + x, "column member %d", i);
  CHECK(shmem_team_sync(row) == 0 && shmem_team_sync(column) == 0, "sync");
  shmem_team_destroy(row);
  shmem_team_destroy(column);
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  for (int xrange = 1; xrange <= n + 2; xrange++) check_xrange(SHMEM_TEAM_WORLD, xrange);
  shmem_team_t reversed;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "split");
  for (int xrange = 1; xrange <= n; xrange++) check_xrange(reversed, xrange);
  shmem_team_destroy(reversed);
  shmem_finalize();
  return 0;
}
