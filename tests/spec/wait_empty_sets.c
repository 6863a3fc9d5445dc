// Waiting for nothing returns at once: _all returns, _any gives SIZE_MAX, _some gives 0. Null is
// legal when nelems is 0.
// @since 1.5
#include "wait_rows.h"

enum { count = 3 };

static void check_row(const struct wait_row* row, void* ivars) {
  static const int excluded[count] = {1, 1, 1};
  const int64_t values[count] = {5, 5, 5};
  size_t indices[count];
  row->wait_all(NULL, 0, NULL, SHMEM_CMP_EQ, 9);
  row->wait_all(ivars, count, excluded, SHMEM_CMP_EQ, 9);
  row->wait_all_vector(ivars, count, excluded, SHMEM_CMP_EQ, values);
  row->wait_all_vector(NULL, 0, NULL, SHMEM_CMP_EQ, NULL);
  CHECK(row->wait_any(NULL, 0, NULL, SHMEM_CMP_EQ, 9) == SIZE_MAX, "%s", row->type);
  CHECK(row->wait_any(ivars, count, excluded, SHMEM_CMP_EQ, 9) == SIZE_MAX, "%s", row->type);
  CHECK(row->wait_any_vector(ivars, count, excluded, SHMEM_CMP_EQ, values) == SIZE_MAX, "%s", row->type);
  CHECK(row->wait_some(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 9) == 0, "%s", row->type);
  CHECK(row->wait_some(ivars, count, indices, excluded, SHMEM_CMP_EQ, 9) == 0, "%s", row->type);
  CHECK(row->wait_some_vector(ivars, count, indices, excluded, SHMEM_CMP_EQ, values) == 0, "%s", row->type);
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
