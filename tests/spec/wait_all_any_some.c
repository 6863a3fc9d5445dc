// wait_until_all, _any and _some over an array that the left neighbour fills in steps.
// @since 1.5
#include "wait_rows.h"

enum { count = 9 };

static void check_all(const struct wait_row* row, void* ivars) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (size_t i = 0; i < count; i++) row->set(ivars, (i * 4) % count, 3, right);
  row->wait_all(ivars, count, NULL, SHMEM_CMP_EQ, 3);
  CHECK(row->test_all(ivars, count, NULL, SHMEM_CMP_EQ, 3), "%s: wait_all came back early", row->type);
  CHECK(!row->test_all(ivars, count + 1, NULL, SHMEM_CMP_EQ, 3), "%s: one more is not met", row->type);
  shmem_barrier_all();
}

// Excludes the satisfied elements by the status mask until none is left: each is reported exactly once.
static void check_any(const struct wait_row* row, void* ivars) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  int done[count] = {0};
  for (size_t i = 0; i < count; i++) row->set(ivars, i, 5, right);
  for (size_t i = 0; i < count; i++) {
    const size_t at = row->wait_any(ivars, count, done, SHMEM_CMP_GE, 5);
    CHECK(at < count && !done[at], "%s: wait_any returned %zu in round %zu", row->type, at, i);
    done[at] = 1;
  }
  CHECK(row->wait_any(ivars, count, done, SHMEM_CMP_GE, 5) == SIZE_MAX, "%s: all masked", row->type);
  shmem_barrier_all();
}

static void check_some(const struct wait_row* row, void* ivars) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  int done[count] = {0};
  size_t indices[count], seen = 0;
  for (size_t i = 0; i < count; i++) row->set(ivars, i, 8, right);
  while (seen < count) {
    const size_t got = row->wait_some(ivars, count, indices, done, SHMEM_CMP_GT, 5);
    CHECK(got >= 1 && got <= count - seen, "%s: wait_some returned %zu", row->type, got);
    for (size_t i = 0; i < got; i++) {
      CHECK(indices[i] < count && !done[indices[i]], "%s: index %zu again", row->type, indices[i]);
      done[indices[i]] = 1;
    }
    seen += got;
  }
  CHECK(row->wait_some(ivars, count, indices, done, SHMEM_CMP_GT, 5) == 0, "%s: all masked", row->type);
  shmem_barrier_all();
}

static void check_row(const struct wait_row* row, void* ivars) {
  check_all(row, ivars);
  check_any(row, ivars);
  check_some(row, ivars);
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
