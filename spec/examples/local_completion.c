/* SPDX-License-Identifier: BSD-3-Clause
 * One buffer for two nonblocking puts. */
#include <shmemx.h>

static long box[2][1000];

int main(void) {
  static long buffer[1000];
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 1000; i++) buffer[i] = round + 1;
    shmem_long_put_nbi(box[round], buffer, 1000, right);
    shmemx_quiet_local(); /* buffer may be filled again */
  }
  shmem_barrier_all(); /* completes both puts */
  const int wrong = box[0][999] != 1 || box[1][999] != 2;
  shmem_finalize();
  return wrong;
}
