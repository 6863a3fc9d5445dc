// A put with signal of no elements, also with null pointers, still updates the signal.
// @since 1.5
#include "check.h"

int main(void) {
  static uint64_t signal;
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_barrier_all();
  shmem_putmem_signal(NULL, NULL, 0, &signal, 1, SHMEM_SIGNAL_ADD, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
  shmem_int_put_signal_nbi(NULL, NULL, 0, &signal, 4, SHMEM_SIGNAL_ADD, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 5);
  shmem_barrier_all();
  shmem_put128_signal(NULL, NULL, 0, &signal, 9, SHMEM_SIGNAL_SET, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 9);
  shmem_finalize();
  return 0;
}
