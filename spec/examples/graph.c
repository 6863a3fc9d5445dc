/* SPDX-License-Identifier: BSD-3-Clause
 * A halo of a ring: set up once, run ten times. */
#include <shmemx.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), left = (me + n - 1) % n, right = (me + 1) % n;
  static double inbox[2][1], outbox[1];
  const shmemx_edge_t in = {.pe = left, .count = 1, .displ = 0}, out = {.pe = right, .count = 1, .displ = 0};
  shmemx_graph_t ring;
  if (shmemx_graph_create(SHMEM_TEAM_WORLD, &in, 1, &out, 1, sizeof(double), 2, &ring) != 0) shmem_global_exit(1);

  int wrong = 0;
  for (int step = 0; step < 10; step++) {
    outbox[0] = 10 * me + step;
    shmemx_graph_start(ring, inbox[step % 2], outbox);
    /* compute here */
    shmemx_graph_wait(ring);
    wrong |= inbox[step % 2][0] != 10 * left + step;
  }
  shmemx_graph_destroy(ring);
  shmem_finalize();
  return wrong;
}
