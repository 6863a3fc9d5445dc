// test_all, test_any, test_some and their vector forms never block and report exactly what is met.
// @since 1.5
#include "wait_rows.h"

enum { count = 7 };

static void check_scalar(const struct wait_row* row, void* ivars) {
  size_t indices[count] = {0};
  CHECK(!row->test_all(ivars, count, NULL, SHMEM_CMP_EQ, 9), "%s: test_all", row->type);
  CHECK(row->test_any(ivars, count, NULL, SHMEM_CMP_EQ, 9) == SIZE_MAX, "%s: test_any", row->type);
  CHECK(row->test_some(ivars, count, indices, NULL, SHMEM_CMP_EQ, 9) == 0, "%s: test_some", row->type);

  row->set(ivars, 2, 9, shmem_my_pe());
  row->set(ivars, 5, 9, shmem_my_pe());
  shmem_quiet();
  CHECK(!row->test_all(ivars, count, NULL, SHMEM_CMP_EQ, 9), "%s: two of seven", row->type);
  const size_t any = row->test_any(ivars, count, NULL, SHMEM_CMP_EQ, 9);
  CHECK(any == 2 || any == 5, "%s: test_any returned %zu", row->type, any);
  const size_t some = row->test_some(ivars, count, indices, NULL, SHMEM_CMP_EQ, 9);
  CHECK(some == 2 && indices[0] + indices[1] == 7 && (indices[0] == 2 || indices[0] == 5),
        "%s: test_some returned %zu: %zu, %zu", row->type, some, indices[0], indices[1]);

  const int only_these[count] = {1, 1, 0, 1, 1, 0, 1};  // nonzero excludes
  CHECK(row->test_all(ivars, count, only_these, SHMEM_CMP_EQ, 9), "%s: the rest masked", row->type);
}

static void check_vector(const struct wait_row* row, void* ivars) {
  int64_t values[count];
  size_t indices[count] = {0};
  for (size_t i = 0; i < count; i++) row->fill(values, i, (int64_t)i + 1);
  for (size_t i = 0; i < count; i++) row->set(ivars, i, i == 3 ? 4 : 99, shmem_my_pe());
  shmem_quiet();
  CHECK(!row->test_all_vector(ivars, count, NULL, SHMEM_CMP_EQ, values), "%s", row->type);
  CHECK(row->test_any_vector(ivars, count, NULL, SHMEM_CMP_EQ, values) == 3, "%s", row->type);
  CHECK(row->test_some_vector(ivars, count, indices, NULL, SHMEM_CMP_EQ, values) == 1 && indices[0] == 3,
        "%s: index %zu", row->type, indices[0]);
  CHECK(row->test_all_vector(ivars, count, NULL, SHMEM_CMP_GE, values), "%s", row->type);
  CHECK(row->test_some_vector(ivars, count, indices, NULL, SHMEM_CMP_GT, values) == count - 1, "%s", row->type);
}

static void check_row(const struct wait_row* row, void* ivars) {
  check_scalar(row, ivars);
  check_vector(row, ivars);
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
