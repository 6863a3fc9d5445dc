// Atomic addition of float and double, typed, generic and on a context: no addition is lost, and each old value is that
// of one moment.
// @extension
#include <oshen/drafts.h>

#include "symmetric.h"

enum { additions = 60 };
static float floats[3];
static double doubles[2];
static shmem_ctx_t ctx;

static void add_from_all(int root) {
  double last = -1;
  for (int i = 0; i < additions; i++) {
    shmem_float_atomic_add(&floats[0], 0.5f, root);
    const double old = shmem_double_atomic_fetch_add(&doubles[0], 0.25, root);
    CHECK(old > last, "an old value of %g after one of %g", old, last);
    last = old;
    shmem_ctx_double_atomic_add(ctx, &doubles[1], -1, root);
    const float was = shmem_ctx_float_atomic_fetch_add(ctx, &floats[1], 2, root);
    CHECK(was >= 0, "%g", (double)was);
    shmemx_ctx_float_atomic_add(ctx, &floats[2], 1, root);
  }
  shmem_ctx_quiet(ctx);
}

static void check_generics(int pe) {
  static double sum;
  shmemx_atomic_add(&sum, 1.0, pe);
  shmemx_atomic_add(ctx, &sum, 1.0, pe);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(sum == 2.0, "generics: %g", sum);
  shmem_barrier_all();
  const double old = shmemx_atomic_fetch_add(ctx, &sum, 1.0, pe) + shmemx_atomic_fetch_add(&sum, 1.0, pe);
  CHECK(old == 5.0, "generics: %g", old);
}

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int root = 0; root < n; root++) add_from_all(root);
  shmem_barrier_all();
  const double all = (double)n * additions;
  CHECK((double)floats[0] == all / 2 && (double)floats[1] == 2 * all, "%g %g", (double)floats[0], (double)floats[1]);
  const double ones = (double)shmemx_float_atomic_fetch_add(&floats[2], 0, me);
  CHECK(ones == all, "%g", ones);
  CHECK(doubles[0] == all / 4 && doubles[1] == -all, "%g %g", doubles[0], doubles[1]);
  check_generics((me + 1) % n);
  shmem_barrier_all();
  /* The same object through another type: one compare-and-swap must see the sum. */
  if (me == 0) doubles[0] = 1;
  shmem_barrier_all();
  shmemx_double_atomic_add(&doubles[0], 1, 0);
  shmem_barrier_all();
  CHECK(shmem_double_atomic_fetch(&doubles[0], 0) == 1.0 + n, "%g", doubles[0]);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
