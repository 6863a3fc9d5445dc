/* SPDX-License-Identifier: BSD-3-Clause
 * Handle the messages of all PEs in the order of their arrival. */
#include <shmem.h>
#include <stddef.h>
#include <stdlib.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  int* here = shmem_calloc((size_t)n, sizeof *here);
  int* done = calloc((size_t)n, sizeof *done);

  for (int i = 0; i < n; i++) shmem_int_p(&here[me], 1, (me + i) % n);
  for (int handled = 0; handled < n; handled++) {
    const size_t from = shmem_int_wait_until_any(here, (size_t)n, done, SHMEM_CMP_EQ, 1);
    done[from] = 1; /* left out from now on */
  }

  const int all = shmem_int_test_all(here, (size_t)n, NULL, SHMEM_CMP_EQ, 1);
  free(done);
  shmem_free(here);
  shmem_finalize();
  return !all;
}
