// Names that programs for other libraries use: OSHMEM_SPEC_VERSION, my_pe and num_pes on request, waits for volatile
// variables.
// @extension
#define OSHEN_LEGACY_NAMES
#include <shmem.h>

#include "symmetric.h"

#if OSHMEM_SPEC_VERSION < 10500
#error "an old version"
#endif

static volatile int small;
static volatile long flag;
static volatile unsigned long long wide;
static volatile short old = 1;

int main(void) {
  shmem_init();
  const int me = my_pe(), n = num_pes();
  CHECK(me == shmem_my_pe() && n == shmem_n_pes(), "%d of %d", me, n);
  CHECK(!shmem_test(&flag, SHMEM_CMP_EQ, 1), "a flag that nobody has set");
  shmem_barrier_all();
  shmem_atomic_inc((long*)(uintptr_t)&flag, (me + 1) % n);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  small = 3;
  wide = 1ULL << 40;
  shmem_wait_until(&small, SHMEM_CMP_GT, 2);
  shmem_wait_until(&wide, SHMEM_CMP_GE, 1ULL << 40);
  shmem_wait_until(&old, SHMEM_CMP_NE, 0);
  CHECK(shmem_test(&wide, SHMEM_CMP_EQ, 1ULL << 40) && shmem_test(&flag, SHMEM_CMP_EQ, 1), "test");
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
