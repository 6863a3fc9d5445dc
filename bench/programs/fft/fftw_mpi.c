/* FFTW-MPI in place, with FFTW_MEASURE: fftw_mpi N SECONDS WISDOM [line]
 *
 * Two transforms of a cube: slabs back to the same slabs, and with the output left transposed. With `line`, two of an
 * array of one axis: into natural order, and with the output left scrambled. The file WISDOM keeps plans, so that only
 * the first run of a size measures. */
#include <fftw3-mpi.h>
#include <string.h>

#include "measure_mpi.h"

static void run(void* plan) { fftw_execute(*(fftw_plan*)plan); }

typedef struct {
  const char* name;
  int n, is_line;
  unsigned flags;
} problem;

static ptrdiff_t local_size(const problem* p) {
  const ptrdiff_t n = p->n;
  ptrdiff_t planes, first, t_planes, t_first;
  if (p->is_line)
    return fftw_mpi_local_size_1d(n, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE | p->flags, &planes, &first, &t_planes,
                                  &t_first);
  return fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes, &first, &t_planes, &t_first);
}

static fftw_plan plan_of(const problem* p, fftw_complex* data) {
  const ptrdiff_t n = p->n;
  const unsigned flags = FFTW_MEASURE | p->flags;
  if (p->is_line) return fftw_mpi_plan_dft_1d(n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags);
  return fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags);
}

static void measure(problem p, double seconds, const char* wisdom) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const size_t local = (size_t)local_size(&p);
  fftw_complex* data = fftw_alloc_complex(local);
  fftw_plan plan = plan_of(&p, data);
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (me == 0) fftw_export_wisdom_to_filename(wisdom);
  memset(data, 0, local * sizeof *data);
  measure_mpi(p.name, seconds, run, &plan);
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
  if (argc > 4 && strcmp(argv[4], "line") == 0) {
    measure((problem){"FFTW-MPI blocks", n, 1, 0}, seconds, wisdom);
    measure((problem){"FFTW-MPI blocks scrambled", n, 1, FFTW_MPI_SCRAMBLED_OUT}, seconds, wisdom);
  } else {
    measure((problem){"FFTW-MPI slabs", n, 0, 0}, seconds, wisdom);
    measure((problem){"FFTW-MPI slabs transposed", n, 0, FFTW_MPI_TRANSPOSED_OUT}, seconds, wisdom);
  }
  MPI_Finalize();
  return 0;
}
