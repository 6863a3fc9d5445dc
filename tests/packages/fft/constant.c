/* The transform of a constant is one number; PE 0 counts the PEs with this result. */
#include <complex.h>
#include <oshen/fft.h>
#include <stdio.h>
#include <stdlib.h>

enum { edge = 8, points = edge * edge * edge };

static int right; /* symmetric */

int main(void) {
  oshen_arena_t* arena;
  oshen_group_t* group;
  oshen_fft_t* fft;
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {edge, edge, edge}};
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  attr.in.size[0] = attr.in.size[1] = edge;
  attr.in.low[2] = edge * me / n;
  attr.in.size[2] = edge * (me + 1) / n - attr.in.low[2];
  attr.out = attr.in;
  const int mine = edge * edge * attr.in.size[2];
  double complex* data = calloc(points, sizeof *data);
  for (int i = 0; i < mine; i++) data[i] = 1;
  if (oshen_arena_create(1 << 20, &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK ||
      oshen_fft_create(group, &attr, &fft) != OSHEN_OK)
    shmem_global_exit(1);
  oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_NONE);
  double error = 0;
  for (int i = 0; i < mine; i++) error += cabs(data[i] - (me == 0 && i == 0 ? points : 0));
  if (error < 1e-9) shmem_int_atomic_inc(&right, 0);
  shmem_barrier_all();
  if (me == 0) printf("%d of %d\n", right, n);
  oshen_fft_destroy(fft);
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  free(data);
  shmem_finalize();
  return 0;
}
