// Profiling: a program's own shmem_int_put takes the library's place and calls pshmem_int_put;
// barriers and atomics likewise; the generic name ends there, too.
// @since 1.5
#include <pshmem.h>
#include "check.h"

static int puts_seen, barriers_seen, adds_seen;

void shmem_int_put(int* dest, const int* source, size_t nelems, int pe) {
  puts_seen++;
  pshmem_int_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void) {
  barriers_seen++;
  pshmem_barrier_all();
}

void shmem_long_atomic_add(long* dest, long value, int pe) {
  adds_seen++;
  pshmem_long_atomic_add(dest, value, pe);
}

int main(void) {
  static int inbox[2];
  static long counter;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const int messages[2] = {me, me + 50};
  shmem_int_put(inbox, messages, 1, right);
  shmem_put(&inbox[1], &messages[1], 1, right);
  shmem_long_atomic_add(&counter, 4, right);
  shmem_atomic_add(&counter, 5L, right);
  shmem_barrier_all();
  CHECK(puts_seen == 2 && adds_seen == 2, "%d puts, %d adds seen", puts_seen, adds_seen);
  CHECK(barriers_seen == 1, "%d barriers seen: the library must not call through the replaceable name", barriers_seen);
  CHECK(inbox[0] == left && inbox[1] == left + 50 && counter == 9, "the calls did not get through");
  shmem_finalize();
  return 0;
}
