/* A program for FFTW-MPI, which knows nothing of Oshen: every kind of plan, with results in two files for each rank. It
 * also counts the plans that FFTW does not carry out.
 *
 *   fftw_mpi_client PREFIX [batch | part-first] */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *results, *single_results;
static int plans, foreign;

/* A value that depends on the position in the global array alone. */
static double value(ptrdiff_t i) { return sin(1 + 3.7 * (double)i); }

static void count(char* text) {
  plans++;
  foreign += strncmp(text, "(oshen", 6) == 0;
  free(text);
}

static void put(double x) { fwrite(&x, sizeof x, 1, results); }
static void put_single(double x) { fwrite(&x, sizeof x, 1, single_results); }

/* ---- complex, three or two dimensions */

static void complex_3d(int sign, unsigned flags, int in_place) {
  const ptrdiff_t n[3] = {9, 7, 5};
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room = fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  fftw_complex* in = fftw_alloc_complex((size_t)room);
  fftw_complex* out = in_place ? in : fftw_alloc_complex((size_t)room);
  fftw_plan plan = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], in, out, MPI_COMM_WORLD, sign, flags);
  const ptrdiff_t before = flags & FFTW_MPI_TRANSPOSED_IN ? n1 * n[0] * n[2] : n0 * n[1] * n[2];
  const ptrdiff_t after = flags & FFTW_MPI_TRANSPOSED_OUT ? n1 * n[0] * n[2] : n0 * n[1] * n[2];
  const ptrdiff_t first = flags & FFTW_MPI_TRANSPOSED_IN ? s1 * n[0] * n[2] : s0 * n[1] * n[2];
  for (ptrdiff_t i = 0; i < before; i++) in[i] = value(i + first) + I * value(-i - first);
  count(fftw_sprint_plan(plan));
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < after; i++) put(creal(out[i])), put(cimag(out[i]));
  fftw_destroy_plan(plan);
  if (!in_place) fftw_free(out);
  fftw_free(in);
}

static void complex_2d(unsigned flags) {
  const ptrdiff_t n[2] = {11, 6};
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room = fftw_mpi_local_size_2d_transposed(n[0], n[1], MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  fftw_complex* data = fftw_alloc_complex((size_t)room);
  fftw_plan plan = fftw_mpi_plan_dft(2, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags);
  for (ptrdiff_t i = 0; i < n0 * n[1]; i++) data[i] = value(i + s0 * n[1]);
  count(fftw_sprint_plan(plan));
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < (flags & FFTW_MPI_TRANSPOSED_OUT ? n1 * n[0] : n0 * n[1]); i++)
    put(creal(data[i])), put(cimag(data[i]));
  fftw_destroy_plan(plan);
  fftw_free(data);
}

/* ---- real: there, and back with new arrays */

static void real_3d(ptrdiff_t last, int transposed, int in_place) {
  const ptrdiff_t n[3] = {8, 9, last}, half = last / 2 + 1, row = 2 * half;
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room = fftw_mpi_local_size_3d_transposed(n[0], n[1], half, MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  double* real = fftw_alloc_real(2 * (size_t)room);
  double* last_real = fftw_alloc_real(2 * (size_t)room);
  fftw_complex* spectrum = in_place ? (fftw_complex*)real : fftw_alloc_complex((size_t)room);
  const unsigned out = transposed ? FFTW_MPI_TRANSPOSED_OUT : 0, in = transposed ? FFTW_MPI_TRANSPOSED_IN : 0;
  fftw_plan to = fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], real, spectrum, MPI_COMM_WORLD, FFTW_ESTIMATE | out);
  fftw_plan back = fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], spectrum, real, MPI_COMM_WORLD, FFTW_ESTIMATE | in);
  for (ptrdiff_t r = 0; r < n0 * n[1]; r++)
    for (ptrdiff_t x = 0; x < last; x++) real[r * row + x] = value((r + s0 * n[1]) * last + x);
  count(fftw_sprint_plan(to)), count(fftw_sprint_plan(back));
  fftw_execute(to);
  for (ptrdiff_t i = 0; i < (transposed ? n1 * n[0] : n0 * n[1]) * half; i++)
    put(creal(spectrum[i])), put(cimag(spectrum[i]));
  if (in_place) {
    memcpy(last_real, spectrum, (size_t)room * sizeof *spectrum);
    fftw_mpi_execute_dft_c2r(back, (fftw_complex*)last_real, last_real);
  } else {
    for (ptrdiff_t r = 0; r < n0 * n[1]; r++)
      for (ptrdiff_t x = 0; x < last; x++) put(real[r * row + x]); /* the input is still there */
    fftw_mpi_execute_dft_c2r(back, spectrum, last_real);
  }
  for (ptrdiff_t r = 0; r < n0 * n[1]; r++)
    for (ptrdiff_t x = 0; x < last; x++) put(last_real[r * row + x]);
  fftw_destroy_plan(to), fftw_destroy_plan(back);
  if (!in_place) fftw_free(spectrum);
  fftw_free(real), fftw_free(last_real);
}

static void real_2d(void) {
  const ptrdiff_t n[2] = {10, 7}, half = n[1] / 2 + 1;
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room = fftw_mpi_local_size_2d_transposed(n[0], half, MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  double* real = fftw_alloc_real(2 * (size_t)room);
  fftw_complex* spectrum = (fftw_complex*)real;
  fftw_plan plan =
      fftw_mpi_plan_dft_r2c_2d(n[0], n[1], real, spectrum, MPI_COMM_WORLD, FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  for (ptrdiff_t r = 0; r < n0; r++)
    for (ptrdiff_t x = 0; x < n[1]; x++) real[r * 2 * half + x] = value((r + s0) * n[1] + x);
  count(fftw_sprint_plan(plan));
  fftw_mpi_execute_dft_r2c(plan, real, spectrum);
  for (ptrdiff_t i = 0; i < n1 * n[0]; i++) put(creal(spectrum[i])), put(cimag(spectrum[i]));
  fftw_destroy_plan(plan);
  fftw_free(real);
}

/* ---- several transforms of two dimensions, whose elements alternate */

static void several_complex(unsigned flags, int in_place) {
  const ptrdiff_t n[2] = {7, 8}, howmany = 3, block = FFTW_MPI_DEFAULT_BLOCK;
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room =
      fftw_mpi_local_size_many_transposed(2, n, howmany, block, block, MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  fftw_complex* in = fftw_alloc_complex((size_t)room);
  fftw_complex* out = in_place ? in : fftw_alloc_complex((size_t)room);
  fftw_plan plan = fftw_mpi_plan_many_dft(2, n, howmany, block, block, in, out, MPI_COMM_WORLD, FFTW_BACKWARD, flags);
  for (ptrdiff_t i = 0; i < n0 * n[1] * howmany; i++) in[i] = value(i + s0 * n[1] * howmany) + I * value(-i - s0);
  count(fftw_sprint_plan(plan));
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < (flags & FFTW_MPI_TRANSPOSED_OUT ? n1 * n[0] : n0 * n[1]) * howmany; i++)
    put(creal(out[i])), put(cimag(out[i]));
  fftw_destroy_plan(plan);
  if (!in_place) fftw_free(out);
  fftw_free(in);
}

static void several_real(void) {
  const ptrdiff_t n[2] = {10, 7}, half = n[1] / 2 + 1, howmany = 2, block = FFTW_MPI_DEFAULT_BLOCK;
  const ptrdiff_t halved[2] = {n[0], half};
  ptrdiff_t n0, s0, n1, s1;
  const ptrdiff_t room =
      fftw_mpi_local_size_many_transposed(2, halved, howmany, block, block, MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
  double* real = fftw_alloc_real(2 * (size_t)room);
  fftw_complex* spectrum = (fftw_complex*)real;
  fftw_plan to = fftw_mpi_plan_many_dft_r2c(2, n, howmany, block, block, real, spectrum, MPI_COMM_WORLD,
                                            FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan back = fftw_mpi_plan_many_dft_c2r(2, n, howmany, block, block, spectrum, real, MPI_COMM_WORLD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
  for (ptrdiff_t r = 0; r < n0; r++)
    for (ptrdiff_t i = 0; i < n[1] * howmany; i++)
      real[r * 2 * half * howmany + i] = value((r + s0) * n[1] * howmany + i);
  count(fftw_sprint_plan(to)), count(fftw_sprint_plan(back));
  fftw_execute(to);
  for (ptrdiff_t i = 0; i < n1 * n[0] * howmany; i++) put(creal(spectrum[i])), put(cimag(spectrum[i]));
  fftw_execute(back);
  for (ptrdiff_t r = 0; r < n0; r++)
    for (ptrdiff_t i = 0; i < n[1] * howmany; i++) put(real[r * 2 * half * howmany + i]);
  fftw_destroy_plan(to), fftw_destroy_plan(back);
  fftw_free(real);
}

/* ---- single precision, and a communicator of fewer ranks */

static void single(void) {
  const ptrdiff_t n[3] = {6, 5, 4};
  ptrdiff_t n0, s0;
  const ptrdiff_t room = fftwf_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &n0, &s0);
  fftwf_complex* data = fftwf_alloc_complex((size_t)room);
  fftwf_complex* other = fftwf_alloc_complex((size_t)room);
  fftwf_plan plan = fftwf_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2]; i++) data[i] = (float)value(i + s0 * n[1] * n[2]);
  count(fftwf_sprint_plan(plan));
  memcpy(other, data, (size_t)room * sizeof *data);
  fftwf_execute(plan);
  fftwf_mpi_execute_dft(plan, other, other);
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2]; i++) put_single(crealf(data[i])), put_single(cimagf(other[i]));
  fftwf_destroy_plan(plan);
  fftwf_free(data), fftwf_free(other);
}

static void part(void) {
  const ptrdiff_t n[3] = {4, 6, 5};
  ptrdiff_t n0, s0;
  MPI_Comm comm;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &comm);
  const ptrdiff_t room = fftw_mpi_local_size_3d(n[0], n[1], n[2], comm, &n0, &s0);
  fftw_complex* data = fftw_alloc_complex((size_t)room);
  fftw_plan plan = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, comm, FFTW_FORWARD, FFTW_ESTIMATE);
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2]; i++) data[i] = value(i + s0 * n[1] * n[2]);
  count(fftw_sprint_plan(plan));
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2]; i++) put(creal(data[i])), put(cimag(data[i]));
  fftw_destroy_plan(plan);
  MPI_Comm_free(&comm);
  fftw_free(data);
}

/* ---- plans that Oshen leaves to FFTW-MPI, and serial plans */

static void batch(void) {
  const ptrdiff_t n[3] = {4, 6, 5}, howmany = 2;
  ptrdiff_t n0, s0;
  const ptrdiff_t room = fftw_mpi_local_size_many(3, n, howmany, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &n0, &s0);
  fftw_complex* data = fftw_alloc_complex((size_t)room);
  fftw_plan plan = fftw_mpi_plan_many_dft(3, n, howmany, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, data, data,
                                          MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan == NULL) {
    fputs("no plan\n", stderr);
    fftw_free(data);
    return;
  }
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2] * howmany; i++) data[i] = value(i + s0 * n[1] * n[2] * howmany);
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < n0 * n[1] * n[2] * howmany; i++) put(creal(data[i])), put(cimag(data[i]));
  fftw_destroy_plan(plan);
  fftw_free(data);
}

static void serial(void) {
  fftw_complex data[12];
  fftw_plan plan = fftw_plan_dft_1d(12, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  double adds = -1, multiplications, both;
  for (int i = 0; i < 12; i++) data[i] = value(i);
  fftw_flops(plan, &adds, &multiplications, &both);
  if (adds < 0) MPI_Abort(MPI_COMM_WORLD, 2);
  fftw_execute(plan);
  for (int i = 0; i < 12; i++) put(creal(data[i]));
  fftw_destroy_plan(plan);
}

int main(int argc, char** argv) {
  char name[4096];
  int rank;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  fftwf_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  results = fopen(name, "wb");
  snprintf(name, sizeof name, "%s.single.%d", argv[1], rank);
  single_results = fopen(name, "wb");
  if (results == NULL || single_results == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  if (argc > 2 && strcmp(argv[2], "part-first") == 0) part();
  for (int in_place = 0; in_place < 2; in_place++) {
    complex_3d(FFTW_FORWARD, FFTW_ESTIMATE, in_place);
    complex_3d(FFTW_BACKWARD, FFTW_ESTIMATE, in_place);
    complex_3d(FFTW_FORWARD, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT, in_place);
    complex_3d(FFTW_BACKWARD, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN, in_place);
    complex_3d(FFTW_FORWARD, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT, in_place);
    for (int transposed = 0; transposed < 2; transposed++)
      for (ptrdiff_t last = 5; last < 7; last++) real_3d(last, transposed, in_place);
  }
  complex_2d(FFTW_ESTIMATE);
  complex_2d(FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  real_2d();
  for (int in_place = 0; in_place < 2; in_place++) {
    several_complex(FFTW_ESTIMATE, in_place);
    several_complex(FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT, in_place);
  }
  several_real();
  single();
  part();
  serial();
  if (argc > 2 && strcmp(argv[2], "batch") == 0) batch();
  if (fclose(results) != 0 || fclose(single_results) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  if (rank == 0) printf("%d of %d plans are not those of FFTW\n", foreign, plans);
  fftw_mpi_cleanup();
  MPI_Finalize();
  return 0;
}
