// No starvation: when several elements are satisfied all the time, repeated calls of _any report each of them sooner or
// later, without help from the status mask. This holds too when the program asks about other sets in between.
// @since 1.5
#include "wait_rows.h"

enum { count = 8, patience = 50 * count };

static void check_calls(const struct wait_row* row, void* ivars, int tests) {
  int seen[count] = {0}, distinct = 0;
  for (int call = 0; call < patience && distinct < count; call++) {
    const size_t at =
        tests ? row->test_any(ivars, count, NULL, SHMEM_CMP_EQ, 1) : row->wait_any(ivars, count, NULL, SHMEM_CMP_EQ, 1);
    CHECK(at < count, "%s: index %zu", row->type, at);
    distinct += !seen[at];
    seen[at] = 1;
  }
  CHECK(distinct == count, "%s: %s_any starves %d of %d satisfied elements", row->type, tests ? "test" : "wait_until",
        count - distinct, count);
}

// Tests a set of `count` elements, with `others` calls on its first two elements between two calls.
static void check_rhythm(const struct wait_row* row, void* ivars, int others) {
  int seen[count] = {0}, distinct = 0;
  for (int call = 0; call < patience && distinct < count; call++) {
    const size_t at = row->test_any(ivars, count, NULL, SHMEM_CMP_EQ, 1);
    distinct += !seen[at];
    seen[at] = 1;
    for (int i = 0; i < others; i++) row->test_any(ivars, 2, NULL, SHMEM_CMP_EQ, 1);
  }
  CHECK(distinct == count, "%s: with %d calls about another set in between %d of %d elements starve", row->type, others,
        count - distinct, count);
}

static void check_row(const struct wait_row* row, void* ivars) {
  for (size_t i = 0; i < count; i++) row->set(ivars, i, 1, shmem_my_pe());
  shmem_quiet();
  check_calls(row, ivars, 0);
  check_calls(row, ivars, 1);
  for (int others = 1; others < count; others++) check_rhythm(row, ivars, others);
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
