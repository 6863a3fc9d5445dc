/* SPDX-License-Identifier: BSD-3-Clause
 * Store into the memory of a neighbour on this node, else put. */
#include <shmem.h>
#include <stddef.h>

static long box;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  if (!shmem_pe_accessible(right) || !shmem_addr_accessible(&box, right)) shmem_global_exit(1);

  long* there = shmem_ptr(&box, right); /* shmem_team_ptr counts in a team */
  if (there != NULL)
    *there = me + 1;
  else
    shmem_long_p(&box, me + 1, right);
  shmem_barrier_all();

  const int wrong = box != (me + shmem_n_pes() - 1) % shmem_n_pes() + 1;
  shmem_finalize();
  return wrong;
}
