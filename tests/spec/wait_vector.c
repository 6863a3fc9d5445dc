// The _vector forms of wait_until: each element has its own value to be compared with.
// @since 1.5
#include "wait_rows.h"

enum { count = 9 };

static void check_row(const struct wait_row* row, void* ivars) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  int64_t values[count];  // room for `count` elements of any type
  int done[count] = {0};
  size_t indices[count], seen = 0;

  for (size_t i = 0; i < count; i++) row->fill(values, i, 10 + (int64_t)i);
  CHECK(row->test_any_vector(ivars, count, NULL, SHMEM_CMP_EQ, values) == SIZE_MAX, "nothing is set yet");
  shmem_barrier_all();
  for (size_t i = 0; i < count; i++) row->set(ivars, i, 10 + (int64_t)i, right);
  row->wait_all_vector(ivars, count, NULL, SHMEM_CMP_EQ, values);
  CHECK(row->test_all_vector(ivars, count, NULL, SHMEM_CMP_EQ, values), "%s: early", row->type);

  for (size_t i = 0; i < count / 2; i++) {
    const size_t at = row->wait_any_vector(ivars, count, done, SHMEM_CMP_LE, values);
    CHECK(at < count && !done[at], "%s: wait_any_vector returned %zu", row->type, at);
    done[at] = 1;
    seen++;
  }
  while (seen < count) {
    const size_t got = row->wait_some_vector(ivars, count, indices, done, SHMEM_CMP_GE, values);
    CHECK(got >= 1 && got <= count - seen, "%s: wait_some_vector returned %zu", row->type, got);
    for (size_t i = 0; i < got; i++) {
      CHECK(indices[i] < count && !done[indices[i]], "%s: index %zu again", row->type, indices[i]);
      done[indices[i]] = 1;
    }
    seen += got;
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
