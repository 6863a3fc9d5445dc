/* SPDX-License-Identifier: BSD-3-Clause
 * A sum of bfloat16 numbers. A compiler that knows the type has arithmetic, others see the bits. */
#include <shmemx.h>
#include <string.h>

static shmemx_bfloat16_t dest[2], source[2];

int main(void) {
  shmem_init();
  const uint16_t one = 0x3f80, one_and_a_half = 0x3fc0;
  memcpy(&source[0], &one, sizeof one);
  memcpy(&source[1], &one_and_a_half, sizeof one_and_a_half);
  const int wrong =
      shmemx_bfloat16_max_reduce(SHMEM_TEAM_WORLD, dest, source, 2) != 0 || memcmp(dest, source, sizeof dest) != 0;
  shmemx_bfloat16_put(dest, source, 2, 0);
  shmem_finalize();
  return wrong;
}
