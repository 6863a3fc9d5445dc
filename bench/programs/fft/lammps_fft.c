/* fft_3d of an installed liblammps (the code that fftMPI grew out of), brick to brick in place:
 * lammps_fft N SECONDS. The prototypes are those of Debian 12's build: Open MPI, double, 29 Sep
 * 2021. */
#include "measure_mpi.h"

struct fft_plan_3d;
struct fft_plan_3d* fft_3d_create_plan(MPI_Comm, int, int, int,      /* extents */
                                       int, int, int, int, int, int, /* in: lo, hi of each axis */
                                       int, int, int, int, int, int, /* out */
                                       int, int, int*, int);         /* scaled, permuted, ... */
void fft_3d(double*, double*, int, struct fft_plan_3d*);
void fft_3d_destroy_plan(struct fft_plan_3d*);

struct transform {
  struct fft_plan_3d* plan;
  double* data;
};

static void run(void* what) {
  const struct transform* t = what;
  fft_3d(t->data, t->data, 1, t->plan);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 32;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  int me, size, buffer;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int parts_z = size >= 2 ? 2 : 1, parts_y = size / parts_z;
  const int y = me % parts_y, z = me / parts_y;
  const int jlo = n * y / parts_y, jhi = n * (y + 1) / parts_y - 1;
  const int klo = n * z / parts_z, khi = n * (z + 1) / parts_z - 1;
  struct fft_plan_3d* plan = fft_3d_create_plan(MPI_COMM_WORLD, n, n, n, 0, n - 1, jlo, jhi, klo, khi, 0, n - 1, jlo,
                                                jhi, klo, khi, 0, 0, &buffer, 0);
  const size_t points = (size_t)n * (size_t)(jhi - jlo + 1) * (size_t)(khi - klo + 1);
  const size_t room = points > (size_t)buffer ? points : (size_t)buffer;
  struct transform all = {plan, calloc(2 * room, sizeof(double))};
  measure_mpi("LAMMPS fft_3d brick to brick", seconds, run, &all);
  fft_3d_destroy_plan(plan);
  free(all.data);
  MPI_Finalize();
  return 0;
}
