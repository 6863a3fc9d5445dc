// A quiet ends although other threads of the PE go on putting, adding and getting on the same context. After it the
// thread's own put is at the target.
// @races a get may overtake the put before it, and its result is not used
#include <stdatomic.h>
#include <stdbool.h>
#include "threads.h"

enum { rounds = 300 };

static long box, others[thread_count], counter;
static atomic_bool is_over;

static void quiet_repeatedly(int right) {
  for (long r = 1; r <= rounds; r++) {
    shmem_long_p(&box, r, right);
    shmem_quiet();
    const long seen = shmem_long_g(&box, right);
    CHECK(seen == r, "round %ld: the target has %ld after quiet", r, seen);
  }
  atomic_store(&is_over, true);
}

static void go_on(int number, int right) {
  static const long put = 1;
  long got = 0, n = 0;
  for (; !atomic_load(&is_over); n++) {
    shmem_long_put_nbi(&others[number], &put, 1, right);
    shmem_long_atomic_add(&counter, 1, right);
    if (n % 8 == 0) shmem_long_get_nbi(&got, &others[number], 1, right);
    if (n % 64 == 0) shmem_quiet();
  }
  shmem_quiet();
}

static void run(int number) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  if (number == 0)
    quiet_repeatedly(right);
  else
    go_on(number, right);
}

int main(void) {
  init_multiple();
  run_threads(run);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
