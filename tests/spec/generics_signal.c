// Generic put_signal and put_signal_nbi, and signal_add and signal_set with or without a leading
// context: the latter two share their names with functions, whose address can still be taken.
// @since 1.6
#include "symmetric.h"

static void check_type_int(shmem_ctx_t ctx, int right, int left, int me) {
  static int inbox[4];
  static uint64_t signals[4];
  const int message = me + 1;
  shmem_put_signal(&inbox[0], &message, 1, &signals[0], 1, SHMEM_SIGNAL_SET, right);
  shmem_put_signal(ctx, &inbox[1], &message, 1, &signals[1], 1, SHMEM_SIGNAL_SET, right);
  shmem_put_signal_nbi(&inbox[2], &message, 1, &signals[2], 1, SHMEM_SIGNAL_ADD, right);
  shmem_put_signal_nbi(ctx, &inbox[3], &message, 1, &signals[3], 1, SHMEM_SIGNAL_ADD, right);
  for (int i = 0; i < 4; i++) {
    shmem_signal_wait_until(&signals[i], SHMEM_CMP_EQ, 1);
    CHECK(inbox[i] == left + 1, "form %d brought %d", i, inbox[i]);
  }
  shmem_quiet();
  shmem_ctx_quiet(ctx);
}

static void check_type_double(shmem_ctx_t ctx, int right, int left, int me) {
  static double inbox[2];
  static uint64_t signal;
  const double message = me + 0.5;
  shmem_put_signal(&inbox[0], &message, 1, &signal, 1, SHMEM_SIGNAL_ADD, right);
  shmem_put_signal(ctx, &inbox[1], &message, 1, &signal, 1, SHMEM_SIGNAL_ADD, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 2);
  CHECK(inbox[0] == left + 0.5 && inbox[1] == left + 0.5, "%g, %g", inbox[0], inbox[1]);
}

static void check_bare(shmem_ctx_t ctx, int right) {
  static uint64_t signal;
  shmem_barrier_all();
  shmem_signal_set(&signal, 10, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 10);
  shmem_barrier_all();
  shmem_signal_add(ctx, &signal, 5, right);
  shmem_signal_add(&signal, 7, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 22);
  shmem_barrier_all();
  shmem_signal_set(ctx, &signal, 3, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 3);
  shmem_barrier_all();
  void (*add)(uint64_t*, uint64_t, int) = shmem_signal_add;
  void (*set)(uint64_t*, uint64_t, int) = (shmem_signal_set);
  set(&signal, 30, right);
  shmem_fence();
  add(&signal, 1, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 31);
}

int main(void) {
  shmem_ctx_t ctx;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  check_type_int(ctx, right, left, me);
  check_type_double(ctx, right, left, me);
  check_bare(ctx, right);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
