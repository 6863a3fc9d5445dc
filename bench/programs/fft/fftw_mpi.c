/* FFTW-MPI, slabs, in place, with FFTW_MEASURE: fftw_mpi N SECONDS WISDOM
 *
 * Two transforms: slabs back to the same slabs, and with the output left transposed. The file WISDOM keeps plans, so
 * that only the first run of a size measures. */
#include <fftw3-mpi.h>
#include <string.h>

#include "measure_mpi.h"

static void run(void* plan) { fftw_execute(*(fftw_plan*)plan); }

static void measure(const char* name, int n, double seconds, unsigned flags, const char* wisdom) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  ptrdiff_t planes, first, t_planes, t_first;
  const ptrdiff_t local =
      fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes, &first, &t_planes, &t_first);
  fftw_complex* data = fftw_alloc_complex((size_t)local);
  fftw_plan plan = fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE | flags);
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (me == 0) fftw_export_wisdom_to_filename(wisdom);
  memset(data, 0, (size_t)local * sizeof *data);
  measure_mpi(name, seconds, run, &plan);
  fftw_destroy_plan(plan);
  fftw_free(data);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const int n = argc > 1 ? atoi(argv[1]) : 32;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  const char* wisdom = argc > 3 ? argv[3] : "fftw-mpi.wisdom";
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) fftw_import_wisdom_from_filename(wisdom);
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  measure("FFTW-MPI slabs", n, seconds, 0, wisdom);
  measure("FFTW-MPI slabs transposed", n, seconds, FFTW_MPI_TRANSPOSED_OUT, wisdom);
  MPI_Finalize();
  return 0;
}
