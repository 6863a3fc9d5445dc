/* A program written for the C interface of fftMPI, compiled with Oshen's headers of those names, and compared with
 * serial FFTW. fftmpi_client [early|twice|parts|stage|precision] */
#include <complex.h>
#include <fft3d_wrap.h>
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <remap3d_wrap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/check_mpi.h"

enum { nfast = 10, nmid = 12, nslow = 7, points = nfast * nmid * nslow, per_trial = 3 };

#ifdef FFT_SINGLE
static const int precision = 1;
static const double tolerance = 2e-3;
#else
static const int precision = 2;
static const double tolerance = 1e-10;
#endif

static double value(int i) { return sin(1.0 + 3.7 * i); }

/* Slabs along the slow axis before a transform, along the middle axis after it. */
static int me, ranks, klo, khi, jlo, jhi;

/* The index in the whole array of number i of the box before a transform, or of the one after it. */
static int before(int i) { return i + klo * nmid * nfast; }
static int after(int i, int permute) {
  const int width = jhi - jlo + 1;
  int fast, mid, slow;
  if (permute == 0)
    fast = i % nfast, mid = i / nfast % width, slow = i / nfast / width;
  else if (permute == 1)
    mid = i % width, slow = i / width % nslow, fast = i / width / nslow;
  else
    slow = i % nslow, fast = i / nslow % nfast, mid = i / nslow / nfast;
  return fast + nfast * (mid + jlo + nmid * slow);
}

static int setup(void* fft, int permute, int tuned) {
  int size, sendsize, recvsize;
  if (tuned)
    fft3d_tune(fft, nfast, nmid, nslow, 0, nfast - 1, 0, nmid - 1, klo, khi, 0, nfast - 1, jlo, jhi, 0, nslow - 1,
               permute, &size, &sendsize, &recvsize, 0, per_trial, 0.05, 0);
  else
    fft3d_setup(fft, nfast, nmid, nslow, 0, nfast - 1, 0, nmid - 1, klo, khi, 0, nfast - 1, jlo, jhi, 0, nslow - 1,
                permute, &size, &sendsize, &recvsize);
  CHECK(size >= nfast * nmid * (khi - klo + 1) && size >= nfast * nslow * (jhi - jlo + 1));
  return size;
}

/* The values that fftMPI's own test driver prints. */
static void report(void* fft, int tuned) {
  int length = 0;
  CHECK(strcmp(fft3d_get_string(fft, "fft1d", &length), "Oshen") == 0 && length == 5);
  CHECK(strcmp(fft3d_get_string(fft, "precision", &length), precision == 1 ? "single" : "double") == 0 && length == 6);
  CHECK(fft3d_get_string(fft, "collective", &length) == NULL && fft3d_get(fft, "collective") != NULL);
  CHECK(fft3d_get_int(fft, "npfast1") == -1 && fft3d_get_int(fft, "npbrick3") == -1); /* not known */
  CHECK(fft3d_get_int(fft, "memusage") == -1 && fft3d_get_int64(fft, "pack") == -1);
  CHECK(fft3d_get_double(fft, "besttime") < 0);
  CHECK(fft3d_get_int(fft, "npertrial") == (tuned ? per_trial : 0) && fft3d_get_int(fft, "ntrial") == 0);
  fft3d_get_int_vector(fft, "cflags", &length);
  CHECK(length == 0);
  length = 1;
  fft3d_get_double_vector(fft, "tfft", &length);
  CHECK(length == 0);
}

static void transform(int permute) {
  void* fft;
  double complex* whole = malloc(points * sizeof *whole);
  const fftw_plan serial = fftw_plan_dft_3d(nslow, nmid, nfast, whole, whole, FFTW_FORWARD, FFTW_ESTIMATE);
  const int in = nfast * nmid * (khi - klo + 1), out = nfast * nslow * (jhi - jlo + 1);
  fft3d_create(MPI_COMM_WORLD, precision, &fft);
  fft3d_set(fft, "collective", 1);
  fft3d_set(fft, "memory", 0);
  const int size = setup(fft, permute, permute == 2);
  FFT_SCALAR* work = malloc(2 * (size_t)size * sizeof *work);
  for (int i = 0; i < points; i++) whole[i] = value(i) + I * value(i + points);
  fftw_execute(serial);
  for (int i = 0; i < in; i++) {
    work[2 * i] = (FFT_SCALAR)value(before(i));
    work[2 * i + 1] = (FFT_SCALAR)value(before(i) + points);
  }
  fft3d_compute(fft, work, work, 1);
  for (int i = 0; i < out; i++) CHECK(cabs(work[2 * i] + I * work[2 * i + 1] - whole[after(i, permute)]) < tolerance);
  fft3d_compute(fft, work, work, -1);
  for (int i = 0; i < in; i++) CHECK(fabs(work[2 * i + 1] - value(before(i) + points)) < tolerance);
  fft3d_set(fft, "remaponly", 1); /* moves the data and does not transform */
  fft3d_compute(fft, work, work, 1);
  for (int i = 0; i < out; i++) CHECK(fabs(work[2 * i] - value(after(i, permute))) < tolerance);
  fft3d_compute(fft, work, work, -1);
  fft3d_set(fft, "remaponly", 0);
  fft3d_only_remaps(fft, work, work, 1);
  for (int i = 0; i < out; i++) CHECK(fabs(work[2 * i] - value(after(i, permute))) < tolerance);
  fft3d_only_remaps(fft, work, work, -1);
  for (int i = 0; i < in; i++) CHECK(fabs(work[2 * i] - value(before(i))) < tolerance);
  fft3d_set(fft, "scale", 0);
  fft3d_compute(fft, work, work, 1);
  fft3d_compute(fft, work, work, -1);
  for (int i = 0; i < in; i++) CHECK(fabs(work[2 * i] / points - value(before(i))) < tolerance);
  CHECK(fft3d_get_int(fft, "collective") == 1 && fft3d_get_int64(fft, "memusage") > 0);
  CHECK(fft3d_get_double(fft, "setuptime") > 0);
  report(fft, permute == 2);
  fft3d_destroy(fft);
  fftw_destroy_plan(serial);
  free(work), free(whole);
}

/* Three numbers in each point. */
static void remap(int permute) {
  enum { numbers = 3 };
  int sendsize, recvsize;
  const int in = nfast * nmid * (khi - klo + 1), out = nfast * nslow * (jhi - jlo + 1), room = in > out ? in : out;
  FFT_SCALAR* work = malloc(numbers * (size_t)room * sizeof *work);
  char keyword[] = "pack";
  void* moves;
  remap3d_create(MPI_COMM_WORLD, &moves);
  remap3d_set(moves, keyword, 0);
  remap3d_setup(moves, 0, nfast - 1, 0, nmid - 1, klo, khi, 0, nfast - 1, jlo, jhi, 0, nslow - 1, numbers, permute, 1,
                &sendsize, &recvsize);
  for (int i = 0; i < in * numbers; i++) work[i] = (FFT_SCALAR)(before(i / numbers) * numbers + i % numbers);
  remap3d_remap(moves, work, work, NULL, NULL);
  for (int i = 0; i < out * numbers; i++) CHECK(work[i] == after(i / numbers, permute) * numbers + i % numbers);
  remap3d_destroy(moves);
  free(work);
}

static void bad(const char* which) {
  FFT_SCALAR work[2];
  void* fft;
  fft3d_create(MPI_COMM_WORLD, strcmp(which, "precision") == 0 ? 3 - precision : precision, &fft);
  if (strcmp(which, "early") == 0) fft3d_compute(fft, work, work, 1);
  if (strcmp(which, "twice") == 0) setup(fft, 0, 0), setup(fft, 0, 0);
  if (strcmp(which, "parts") == 0) setup(fft, 0, 0), fft3d_only_1d_ffts(fft, work, 1);
  if (strcmp(which, "stage") == 0) setup(fft, 0, 0), fft3d_only_one_remap(fft, work, work, 1, 2);
  CHECK(!"the call returned");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  klo = nslow * me / ranks, khi = nslow * (me + 1) / ranks - 1;
  jlo = nmid * me / ranks, jhi = nmid * (me + 1) / ranks - 1;
  if (argc > 1) bad(argv[1]);
  for (int permute = 0; permute < 3; permute++) {
    transform(permute);
    remap(permute);
  }
  MPI_Finalize();
  if (me == 0) puts("all right");
  return 0;
}
