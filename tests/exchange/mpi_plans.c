/* Plans and transforms from a communicator, compared with MPI_Alltoallv and with serial FFTW. Each MPI's own compiler
 * builds it; one run executes one scenario: mpi_plans world | again | sub | halves | shared | bad CASE */
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <oshen/mpi_fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/check_mpi.h"

enum { nx = 9, ny = 7, nz = 11, points = nx * ny * nz };

/* The slab of this rank along `axis`, of a global array. */
static oshen_fft_box_t slab(MPI_Comm comm, const int extent[3], int axis) {
  oshen_fft_box_t box = {{0, 0, 0}, {extent[0], extent[1], extent[2]}, {0, 0, 0}};
  int rank, n;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n);
  box.low[axis] = extent[axis] * rank / n;
  box.size[axis] = extent[axis] * (rank + 1) / n - box.low[axis];
  return box;
}

static size_t volume(const oshen_fft_box_t* b) { return (size_t)b->size[0] * (size_t)b->size[1] * (size_t)b->size[2]; }

/* Index in a global array, whose rows have `width` elements, of element i of the box. */
static size_t global_index(const oshen_fft_box_t* b, size_t i, int width) {
  const size_t x = i % (size_t)b->size[0], rest = i / (size_t)b->size[0];
  const size_t y = rest % (size_t)b->size[1], z = rest / (size_t)b->size[1];
  return (x + (size_t)b->low[0]) + (size_t)width * ((y + (size_t)b->low[1]) + (size_t)ny * (z + (size_t)b->low[2]));
}

static double value(size_t i) { return sin(1.0 + 3.7 * (double)i); }

/* A complex transform from slabs along z to slabs along y, both ways. */
static void complex_transform(MPI_Comm comm) {
  const int extent[3] = {nx, ny, nz};
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {nx, ny, nz}};
  fftw_complex* whole = fftw_alloc_complex(points);
  const fftw_plan serial = fftw_plan_dft_3d(nz, ny, nx, whole, whole, FFTW_FORWARD, FFTW_ESTIMATE);
  attr.in = slab(comm, extent, 2);
  attr.out = slab(comm, extent, 1);
  fftw_complex* in = fftw_alloc_complex(volume(&attr.in) + 1);
  fftw_complex* out = fftw_alloc_complex(volume(&attr.out) + 1);
  for (size_t i = 0; i < points; i++) whole[i] = value(i) + I * value(i + points);
  for (size_t i = 0; i < volume(&attr.in); i++) in[i] = whole[global_index(&attr.in, i, nx)];
  fftw_execute(serial);
  oshen_fft_t* fft = oshen_fft_create_mpi(comm, &attr);
  oshen_fft_forward(fft, in, out, OSHEN_FFT_SCALE_NONE);
  for (size_t i = 0; i < volume(&attr.out); i++) CHECK(cabs(out[i] - whole[global_index(&attr.out, i, nx)]) < 1e-10);
  memset(in, 0, volume(&attr.in) * sizeof *in);
  oshen_fft_backward(fft, out, in, OSHEN_FFT_SCALE_FULL);
  for (size_t i = 0; i < volume(&attr.in); i++) {
    const size_t at = global_index(&attr.in, i, nx);
    CHECK(cabs(in[i] - (value(at) + I * value(at + points))) < 1e-12);
  }
  oshen_fft_destroy(fft);
  fftw_destroy_plan(serial);
  fftw_free(in), fftw_free(out), fftw_free(whole);
}

/* A real transform, and a remap of its spectrum to other slabs. */
static void real_transform(MPI_Comm comm) {
  enum { half = nx / 2 + 1 };
  const int extent[3] = {nx, ny, nz}, halved[3] = {half, ny, nz};
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {nx, ny, nz}, .kind = OSHEN_FFT_REAL};
  oshen_remap_attr_t moved = {.size = sizeof moved, .extent = {half, ny, nz}, .element = sizeof(fftw_complex)};
  double* whole = fftw_alloc_real(points);
  fftw_complex* spectrum = fftw_alloc_complex(half * ny * nz);
  const fftw_plan serial = fftw_plan_dft_r2c_3d(nz, ny, nx, whole, spectrum, FFTW_ESTIMATE);
  attr.in = slab(comm, extent, 2);
  moved.in = attr.out = slab(comm, halved, 1);
  moved.out = slab(comm, halved, 2);
  double* in = fftw_alloc_real(volume(&attr.in) + 1);
  fftw_complex* out = fftw_alloc_complex(volume(&attr.out) + 1);
  fftw_complex* last = fftw_alloc_complex(volume(&moved.out) + 1);
  for (size_t i = 0; i < points; i++) whole[i] = value(i);
  for (size_t i = 0; i < volume(&attr.in); i++) in[i] = whole[global_index(&attr.in, i, nx)];
  fftw_execute(serial);
  oshen_fft_t* fft = oshen_fft_create_mpi(comm, &attr);
  oshen_remap_t* remap = oshen_remap_create_mpi(comm, &moved);
  oshen_fft_forward(fft, in, out, OSHEN_FFT_SCALE_NONE);
  oshen_remap_run(remap, out, last);
  for (size_t i = 0; i < volume(&moved.out); i++)
    CHECK(cabs(last[i] - spectrum[global_index(&moved.out, i, half)]) < 1e-10);
  oshen_remap_destroy(remap);
  oshen_fft_destroy(fft);
  fftw_destroy_plan(serial);
  fftw_free(in), fftw_free(out), fftw_free(last), fftw_free(whole), fftw_free(spectrum);
}

/* Elements that `from` sends to `to`: different for each pair, some none. */
static int elements(int from, int to) { return (from * 5 + to * 3) % 4 * 7; }

static oshen_message_t message(int peer, int count, int first) {
  const size_t bytes = (size_t)count * sizeof(double);
  const oshen_message_t m = {
      peer, bytes, {(size_t)first * sizeof(double), sizeof(double), {(size_t)count, 1, 1}, {sizeof(double), 0, 0}}};
  return m;
}

/* An irregular exchange. */
static void exchange(MPI_Comm comm) {
  enum { most = 16, room = most * 21 };
  double in[room], out[room], expected[room];
  int sent[most], received[most], from[most], to[most], n, rank, sends = 0, receives = 0;
  oshen_message_t out_list[most], in_list[most];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n);
  for (int p = 0; p < n; p++) {
    sent[p] = elements(rank, p), received[p] = elements(p, rank);
    from[p] = sends, to[p] = receives;
    out_list[p] = message(p, sent[p], sends);
    in_list[p] = message(p, received[p], receives);
    sends += sent[p], receives += received[p];
  }
  const oshen_plan_attr_t attr = {
      .size = sizeof attr, .sends = out_list, .receives = in_list, .n_sends = n, .n_receives = n};
  oshen_plan_t* plan = oshen_plan_create_mpi(comm, &attr);
  for (int run = 0; run < 3; run++) {
    for (int i = 0; i < sends; i++) in[i] = 1000 * rank + i + 0.25 * run;
    memset(out, 0, sizeof out);
    oshen_plan_run(plan, in, out);
    MPI_Alltoallv(in, sent, from, MPI_DOUBLE, expected, received, to, MPI_DOUBLE, comm);
    CHECK(memcmp(out, expected, (size_t)receives * sizeof(double)) == 0);
  }
  oshen_plan_destroy(plan);
}

/* The ghost elements of slabs along z. All axes are rings, and a rank is its own neighbour along x and y. */
static void halo(MPI_Comm comm) {
  oshen_halo_t h = {.size = sizeof h,
                    .extent = {nx, ny, nz},
                    .dims = {1, 1, 0},
                    .below = {1, 0, 2},
                    .above = {0, 1, 1},
                    .periodic = 7,
                    .element = sizeof(double)};
  int rank, low[3], size[3], at[3];
  oshen_fft_box_t all; /* the part with its ghost elements */
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &h.dims[2]);
  oshen_grid_box(h.extent, h.dims, rank, low, size);
  for (int a = 0; a < 3; a++) all.size[a] = h.below[a] + size[a] + h.above[a];
  double* u = malloc(volume(&all) * sizeof *u);
  oshen_plan_t* plan = oshen_halo_create_mpi(comm, &h, NULL);
  for (int after = 0; after < 2; after++) {
    size_t i = 0;
    if (after) oshen_plan_run(plan, u, u);
    for (at[2] = 0; at[2] < all.size[2]; at[2]++)
      for (at[1] = 0; at[1] < all.size[1]; at[1]++)
        for (at[0] = 0; at[0] < all.size[0]; at[0]++, i++) {
          int global[3], own = 1;
          for (int a = 0; a < 3; a++) {
            own &= at[a] >= h.below[a] && at[a] < h.below[a] + size[a];
            global[a] = (low[a] + at[a] - h.below[a] + h.extent[a]) % h.extent[a];
          }
          const double right = value((size_t)(global[0] + nx * (global[1] + ny * global[2])));
          if (after)
            CHECK(u[i] == right);
          else
            u[i] = own ? right : -2;
        }
  }
  oshen_plan_destroy(plan);
  free(u);
}

/* A halo and a transform of one array, as in docs/user/fft.md: the transform of a cosine along x reads the part alone.
 */
static void ghosts_beside_transform(MPI_Comm comm) {
  enum { n = 12 };
  const int halved[3] = {n / 2 + 1, n, n};
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {n, n, n}, .kind = OSHEN_FFT_REAL};
  oshen_halo_t h = {.size = sizeof h,
                    .extent = {n, n, n},
                    .dims = {1, 1, ranks},
                    .below = {1, 1, 1},
                    .above = {1, 1, 1},
                    .periodic = 7,
                    .element = sizeof(double)};
  oshen_grid_box(h.extent, h.dims, rank, attr.in.low, attr.in.size);
  for (int a = 0; a < 3; a++) attr.in_embed[a] = (size_t)attr.in.size[a] + 2;
  const size_t row = attr.in_embed[0], plane = row * attr.in_embed[1], whole = plane * attr.in_embed[2];
  double* u = malloc(whole * sizeof *u);
  double* first = u + 1 + row + plane;
  attr.out = slab(comm, halved, 1);
  fftw_complex* spectrum = fftw_alloc_complex(volume(&attr.out) + 1);
  for (size_t i = 0; i < whole; i++) u[i] = NAN;
  for (size_t i = 0; i < volume(&attr.in); i++)
    first[i % n + row * (i / n % n) + plane * (i / n / n)] = cos(2 * acos(-1) * (double)(i % n) / n);
  oshen_plan_t* ghosts = oshen_halo_create_mpi(comm, &h, NULL);
  oshen_fft_t* fft = oshen_fft_create_mpi(comm, &attr);
  oshen_fft_forward(fft, first, spectrum, OSHEN_FFT_SCALE_NONE);
  oshen_plan_run(ghosts, u, u);
  for (size_t i = 0; i < volume(&attr.out); i++)
    CHECK(cabs(spectrum[i] - (global_index(&attr.out, i, halved[0]) == 1 ? n * n * n / 2 : 0)) < 1e-10);
  for (size_t i = 0; i < whole; i++) CHECK(fabs(u[i] - cos(2 * acos(-1) * ((double)(i % row) - 1) / n)) < 1e-12);
  oshen_fft_destroy(fft);
  oshen_plan_destroy(ghosts);
  fftw_free(spectrum);
  free(u);
}

static void world(void) {
  complex_transform(MPI_COMM_WORLD);
  real_transform(MPI_COMM_WORLD);
  exchange(MPI_COMM_WORLD);
  halo(MPI_COMM_WORLD);
  ghosts_beside_transform(MPI_COMM_WORLD);
}

/* Plans, of which fewer would fill the arena, are created and destroyed many times. */
static void again(void) {
  const int extent[3] = {32, 32, 32};
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {32, 32, 32}};
  attr.in = slab(MPI_COMM_WORLD, extent, 2);
  attr.out = slab(MPI_COMM_WORLD, extent, 1);
  for (int i = 0; i < 16; i++) {
    oshen_fft_t* fft = oshen_fft_create_mpi(MPI_COMM_WORLD, &attr);
    oshen_fft_workspace_t used;
    oshen_fft_workspace(fft, &used, sizeof used);
    if (i == 0) {
      shmemx_heap_info_t heap;
      shmemx_heap_info(&heap, sizeof heap);
      CHECK(16 * used.symmetric > heap.bytes);
    }
    oshen_fft_destroy(fft);
  }
  complex_transform(MPI_COMM_WORLD);
}

/* Communicators of fewer processes, in another order, after a start on all. */
static void parts(void) {
  MPI_Comm comm;
  int rank;
  oshen_start_mpi(MPI_COMM_WORLD);
  oshen_start_mpi(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 2; turn++) {
    MPI_Comm_split(MPI_COMM_WORLD, turn == 0 ? rank % 2 : rank / 2, -rank, &comm);
    complex_transform(comm);
    exchange(comm);
    halo(comm);
    CHECK(oshen_group_from_mpi_comm(comm) == oshen_group_from_mpi_comm(comm));
    MPI_Comm_free(&comm);
  }
  complex_transform(MPI_COMM_WORLD);
}

/* Two jobs of OpenSHMEM in one MPI job, because the first plans are for parts of it. */
static MPI_Comm halves(void) {
  MPI_Comm comm;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comm);
  complex_transform(comm);
  real_transform(comm);
  return comm;
}

/* The program uses OpenSHMEM by itself as well, and ends its own use first. */
static void with_shmem(void) {
  CHECK(shmemx_init_mpi(MPI_COMM_WORLD) == 0);
  complex_transform(MPI_COMM_WORLD);
  long* counter = shmem_calloc(1, sizeof *counter);
  shmem_long_atomic_inc(counter, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(*counter == shmem_n_pes());
  shmem_free(counter);
  shmem_finalize();
  exchange(MPI_COMM_WORLD);
}

static void bad(const char* which) {
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {nx, ny, nz}};
  const int extent[3] = {nx, ny, nz}, large[3] = {512, 512, 512};
  attr.in = attr.out = slab(MPI_COMM_WORLD, extent, 2);
  if (strcmp(which, "comm") == 0) oshen_fft_create_mpi(MPI_COMM_NULL, &attr);
  if (strcmp(which, "attr") == 0) oshen_fft_create_mpi(MPI_COMM_WORLD, NULL);
  if (strcmp(which, "halo") == 0) oshen_halo_create_mpi(MPI_COMM_WORLD, NULL, NULL);
  if (strcmp(which, "others") == 0) {
    halves();
    oshen_start_mpi(MPI_COMM_WORLD);
  }
  if (strcmp(which, "small") == 0) {
    CHECK(shmemx_init_mpi(MPI_COMM_WORLD) == 0);
    oshen_start_mpi(MPI_COMM_SELF);
  }
  if (strcmp(which, "boxes") == 0) {
    attr.in.size[2]--;
    oshen_fft_create_mpi(MPI_COMM_WORLD, &attr);
  }
  if (strcmp(which, "peer") == 0) {
    const oshen_message_t m = message(99, 1, 0);
    const oshen_plan_attr_t list = {.size = sizeof list, .sends = &m, .n_sends = 1};
    oshen_plan_create_mpi(MPI_COMM_WORLD, &list);
  }
  if (strcmp(which, "space") == 0) {
    memcpy(attr.extent, large, sizeof large);
    attr.in = slab(MPI_COMM_WORLD, large, 2);
    attr.out = slab(MPI_COMM_WORLD, large, 1);
    oshen_fft_create_mpi(MPI_COMM_WORLD, &attr);
  }
  CHECK(!"the call returned");
}

int main(int argc, char** argv) {
  const char* scenario = argc > 1 ? argv[1] : "";
  int rank;
  if (argc > 2 && strcmp(argv[2], "early") == 0) oshen_start_mpi(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(scenario, "world") == 0)
    world();
  else if (strcmp(scenario, "again") == 0)
    again();
  else if (strcmp(scenario, "sub") == 0)
    parts();
  else if (strcmp(scenario, "halves") == 0)
    halves();
  else if (strcmp(scenario, "shared") == 0)
    with_shmem();
  else if (strcmp(scenario, "bad") == 0 && argc > 2)
    bad(argv[2]);
  else
    CHECK(!"a known scenario");
  MPI_Finalize();
  if (rank == 0) puts("all right");
  return 0;
}
