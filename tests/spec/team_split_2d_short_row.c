// The textbook case: 7 PEs with xrange 3 make rows of 3, 3 and 1, and columns of 3, 2 and 2.
// @since 1.5
// @run pes=7
#include "check.h"

int main(void) {
  static const int row_length[7] = {3, 3, 3, 3, 3, 3, 1};
  static const int column_length[7] = {3, 2, 2, 3, 2, 2, 3};
  static int one = 1, row_sum, column_sum;
  shmem_init();
  const int me = shmem_my_pe();
  shmem_team_t row, column;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, NULL, 0, &row, NULL, 0, &column) == 0, "split");
  shmem_int_sum_reduce(row, &row_sum, &one, 1);
  shmem_int_sum_reduce(column, &column_sum, &one, 1);
  CHECK(row_sum == row_length[me], "row of %d", row_sum);
  CHECK(column_sum == column_length[me], "column of %d", column_sum);
  shmem_team_destroy(column);
  shmem_team_destroy(row);
  shmem_finalize();
  return 0;
}
