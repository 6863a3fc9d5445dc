// Several threads of a PE wait for different variables, which the threads of the neighbour set in another order. A
// blocked thread does not block other threads.
#include "threads.h"

enum { rounds = 150 };

static long ball[thread_count];
static uint64_t knock[thread_count];

// Thread i of PE 0 starts a token, which goes round the ring of PEs; each thread has its own ring.
static void pass_the_ball(int number) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  for (long r = 1; r <= rounds; r++) {
    if (me == 0) shmem_long_atomic_set(&ball[number], r, right);
    shmem_long_wait_until(&ball[number], SHMEM_CMP_EQ, r);
    if (me != 0) shmem_long_atomic_set(&ball[number], r, right);
  }
}

#if SPEC_AT_LEAST(1, 5)
static void knock_on_doors(int number) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (uint64_t r = 1; r <= rounds; r++) {
    shmem_putmem_signal(NULL, NULL, 0, &knock[(number + 1) % thread_count], 1, SHMEM_SIGNAL_ADD, right);
    shmem_signal_wait_until(&knock[number], SHMEM_CMP_GE, r);
  }
}
#endif

int main(void) {
  init_multiple();
  run_threads(pass_the_ball);
  shmem_barrier_all();
#if SPEC_AT_LEAST(1, 5)
  run_threads(knock_on_doors);
  for (int i = 0; i < thread_count; i++)
    CHECK(shmem_signal_wait_until(&knock[i], SHMEM_CMP_GE, rounds) == rounds, "too many knocks");
#endif
  for (int i = 0; i < thread_count; i++) CHECK(ball[i] == rounds, "ball %d: %ld", i, ball[i]);
  shmem_finalize();
  return 0;
}
