// The empty set (no element, or every element excluded): test_all is 1 (an erratum of 1.5),
// test_any is SIZE_MAX, test_some is 0.
// @since 1.6
#include "wait_rows.h"

enum { count = 4 };

static void check_row(const struct wait_row* row, void* ivars) {
  static const int excluded[count] = {1, 2, -1, 1};
  int64_t values[count] = {0};
  size_t indices[count];
  for (int all_masked = 0; all_masked < 2; all_masked++) {
    const size_t n = all_masked ? count : 0;
    const int* status = all_masked ? excluded : NULL;
    CHECK(row->test_all(ivars, n, status, SHMEM_CMP_EQ, 9) == 1, "%s", row->type);
    CHECK(row->test_any(ivars, n, status, SHMEM_CMP_EQ, 9) == SIZE_MAX, "%s", row->type);
    CHECK(row->test_some(ivars, n, indices, status, SHMEM_CMP_EQ, 9) == 0, "%s", row->type);
    CHECK(row->test_all_vector(ivars, n, status, SHMEM_CMP_NE, values) == 1, "%s", row->type);
    CHECK(row->test_any_vector(ivars, n, status, SHMEM_CMP_NE, values) == SIZE_MAX, "%s", row->type);
    CHECK(row->test_some_vector(ivars, n, indices, status, SHMEM_CMP_NE, values) == 0, "%s", row->type);
  }
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
