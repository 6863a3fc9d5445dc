/* SPDX-License-Identifier: BSD-3-Clause
 * Must not compile: bitwise atomics do not exist for double, with a context or without (UNSUPPORTED picks one). */
#include <shmem.h>

static double number;

int main(void) {
#if UNSUPPORTED == 1
  shmem_atomic_and(&number, 1, 0);
#elif UNSUPPORTED == 2
  shmem_atomic_and(SHMEM_CTX_DEFAULT, &number, 1, 0);
#else
  shmem_atomic_set(SHMEM_CTX_DEFAULT, &number, 1, 0);
#endif
  return 0;
}
