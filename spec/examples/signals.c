/* SPDX-License-Identifier: BSD-3-Clause
 * Hand over an array in each of ten steps, without a barrier. */
#include <shmem.h>
#include <stdint.h>

static double inbox[2][100]; /* steps use both halves in turn */
static uint64_t arrived;     /* counts steps */

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  double mine[100] = {0}, sum = 0;

  for (uint64_t step = 1; step <= 10; step++) {
    mine[0] = (double)step;
    shmem_double_put_signal(inbox[step % 2], mine, 100, &arrived, step, SHMEM_SIGNAL_SET, right);
    shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, step);
    sum += inbox[step % 2][0];
    shmem_sync_all(); /* no PE runs ahead and overwrites a half that is not read yet */
  }

  const int wrong = sum != 55 || shmem_signal_fetch(&arrived) != 10;
  shmem_finalize();
  return wrong;
}
