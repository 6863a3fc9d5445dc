// fetch, set and swap of float and double move the value whole: infinities, denormals, negative
// zero.
#include <float.h>
#include <math.h>
#include "symmetric.h"

static const double values[] = {0.0, -0.0, 1.5, -1e300, DBL_MIN / 8, DBL_MAX, INFINITY, -INFINITY, 0.1};

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    double* d = memory_take(kind, sizeof(double));
    float* f = memory_take(kind, sizeof(float));
    double last = 0.0;
    for (size_t i = 0; i < LENGTH(values); i++) {
      const double v = values[i];
      const float narrow = (float)v;
      shmem_float_atomic_set(f, narrow, right);
      const double old = shmem_double_atomic_swap(d, v, right);
      CHECK(memcmp(&old, &last, sizeof old) == 0, "swap returned %g for %g", old, last);
      const double now = shmem_double_atomic_fetch(d, right);
      CHECK(memcmp(&now, &v, sizeof v) == 0, "fetch returned %g for %g", now, v);
      shmem_quiet();
      const float narrow_now = shmem_float_atomic_fetch(f, right);
      CHECK(memcmp(&narrow_now, &narrow, sizeof narrow) == 0, "set left %g for %g", (double)narrow_now, v);
      last = v;
    }
    memory_give_back(kind, f);
    memory_give_back(kind, d);
  }
  shmem_finalize();
  return 0;
}
