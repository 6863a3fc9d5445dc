// SHMEM_WAIT_UNTIL and SHMEM_TEST: 12 types x 6 comparisons, signed and unsigned extremes.
// @since 1.5
#include "wait_rows.h"

struct step {
  int cmp;
  int64_t threshold, unmet, met;
};
// For unsigned types -1 is the greatest value, not the least.
static const struct step signed_steps[] = {{SHMEM_CMP_EQ, 7, 6, 7},   {SHMEM_CMP_NE, 7, 7, 8},
                                           {SHMEM_CMP_GT, -1, -1, 0}, {SHMEM_CMP_GE, -1, -2, -1},
                                           {SHMEM_CMP_LT, 0, 0, -5},  {SHMEM_CMP_LE, -3, -2, -3}};
static const struct step unsigned_steps[] = {{SHMEM_CMP_EQ, 7, 6, 7},   {SHMEM_CMP_NE, 7, 7, 8},
                                             {SHMEM_CMP_GT, 5, 5, -1},  {SHMEM_CMP_GE, -1, 0, -1},
                                             {SHMEM_CMP_LT, -1, -1, 5}, {SHMEM_CMP_LE, -2, -1, -2}};

static void check_row(const struct wait_row* row, void* ivar) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  const struct step* steps = row->is_signed ? signed_steps : unsigned_steps;
  for (size_t i = 0; i < LENGTH(signed_steps); i++) {
    const struct step* s = &steps[i];
    row->set(ivar, 0, s->unmet, shmem_my_pe());
    shmem_barrier_all();
    CHECK(!row->test(ivar, s->cmp, s->threshold), "%s test true too early, step %zu", row->type, i);
    shmem_barrier_all();
    row->set(ivar, 0, s->met, right);
    row->wait_until(ivar, s->cmp, s->threshold);
    CHECK(row->test(ivar, s->cmp, s->threshold), "%s test false after wait, step %zu", row->type, i);
    shmem_barrier_all();
  }
}

int main(void) {
  shmem_init();
  for_each_wait_row(check_row);
  shmem_finalize();
  return 0;
}
