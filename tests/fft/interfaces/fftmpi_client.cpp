// A C++ program written for the classes of fftMPI, compiled with Oshen's headers of those names: 2-D transforms and
// remaps, compared with serial FFTW, and a 3-D transform there and back. fftmpi_client [early|twice|permute]
#include <fft2d.h>
#include <fft3d.h>
#include <fftw3.h>
#include <mpi.h>
#include <remap2d.h>
#include <remap3d.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

using namespace FFTMPI_NS;

constexpr int nfast = 12, nslow = 10, points = nfast * nslow;
constexpr double tolerance = sizeof(FFT_SCALAR) == 4 ? 2e-3 : 1e-10;
constexpr int precision = sizeof(FFT_SCALAR) == 4 ? 1 : 2;
int me, ranks, ilo, ihi, jlo, jhi;  // of this rank: columns after the transform, rows before it

void check(bool condition, const char* what, int line) {
  if (condition) return;
  std::fprintf(stderr, "fftmpi_client.cpp:%d: rank %d: not true: %s\n", line, me, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

double value(int i) { return std::sin(1.0 + 3.7 * i); }
std::complex<double> number(int i) { return {value(i), value(i + points)}; }

// The index in the whole array of number i of this rank, before and after a transform.
int before(int i) { return i + jlo * nfast; }
int after(int i, int permute) {
  const int width = ihi - ilo + 1;
  return permute == 0 ? ilo + i % width + i / width * nfast : ilo + i / nslow + i % nslow * nfast;
}
int rows() { return nfast * (jhi - jlo + 1); }
int columns() { return nslow * (ihi - ilo + 1); }

void setup(FFT2d& fft, int permute, bool tuned = false) {
  int size, sendsize, recvsize;
  if (tuned)
    fft.tune(nfast, nslow, 0, nfast - 1, jlo, jhi, ilo, ihi, 0, nslow - 1, permute, size, sendsize, recvsize, 0, 2,
             0.05, 0);
  else
    fft.setup(nfast, nslow, 0, nfast - 1, jlo, jhi, ilo, ihi, 0, nslow - 1, permute, size, sendsize, recvsize);
  CHECK(size >= rows() && size >= columns() && sendsize == 0 && recvsize == 0);
}

std::vector<FFT_SCALAR> input() {
  std::vector<FFT_SCALAR> work(2 * static_cast<std::size_t>(std::max(rows(), columns())) + 2);
  for (int i = 0; i < rows(); i++) {
    work[2 * static_cast<std::size_t>(i)] = static_cast<FFT_SCALAR>(value(before(i)));
    work[2 * static_cast<std::size_t>(i) + 1] = static_cast<FFT_SCALAR>(value(before(i) + points));
  }
  return work;
}
std::complex<double> at(const std::vector<FFT_SCALAR>& work, int i) {
  const auto place = 2 * static_cast<std::size_t>(i);
  return {work[place], work[place + 1]};
}

void transform(int permute) {
  std::vector<std::complex<double>> whole(points);
  auto* const data = reinterpret_cast<fftw_complex*>(whole.data());
  const fftw_plan serial = fftw_plan_dft_2d(nslow, nfast, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < points; i++) whole[static_cast<std::size_t>(i)] = number(i);
  fftw_execute(serial);
  fftw_destroy_plan(serial);

  FFT2d fft(MPI_COMM_WORLD, precision);
  fft.collective = 1;
  setup(fft, permute, permute == 1);
  std::vector<FFT_SCALAR> work = input();
  fft.compute(work.data(), work.data(), 1);
  for (int i = 0; i < columns(); i++)
    CHECK(std::abs(at(work, i) - whole[static_cast<std::size_t>(after(i, permute))]) < tolerance);
  fft.compute(work.data(), work.data(), -1);
  for (int i = 0; i < rows(); i++) CHECK(std::abs(at(work, i) - number(before(i))) < tolerance);
  fft.scaled = 0;
  fft.compute(work.data(), work.data(), 1);
  fft.compute(work.data(), work.data(), -1);
  for (int i = 0; i < rows(); i++) CHECK(std::abs(at(work, i) / double(points) - number(before(i))) < tolerance);
  work = input();
  fft.only_remaps(work.data(), work.data(), 1);
  for (int i = 0; i < columns(); i++) CHECK(std::abs(at(work, i) - number(after(i, permute))) < tolerance);
  fft.remaponly = 1;
  fft.compute(work.data(), work.data(), -1);
  for (int i = 0; i < rows(); i++) CHECK(std::abs(at(work, i) - number(before(i))) < tolerance);
  CHECK(fft.memusage > 0 && fft.setuptime > 0 && fft.npfast1 == -1 && std::strcmp(fft.fft1d, "Oshen") == 0);
  CHECK(fft.npertrial == (permute == 1 ? 2 : 0) && fft.ntrial == 0);
}

void remap(int permute) {
  constexpr int numbers = 3;
  Remap2d moves(MPI_COMM_WORLD);
  int sendsize, recvsize;
  moves.setup(0, nfast - 1, jlo, jhi, ilo, ihi, 0, nslow - 1, numbers, permute, 1, sendsize, recvsize);
  std::vector<FFT_SCALAR> work(static_cast<std::size_t>(numbers * std::max(rows(), columns())) + 1);
  for (int i = 0; i < rows() * numbers; i++)
    work[static_cast<std::size_t>(i)] = static_cast<FFT_SCALAR>(before(i / numbers) * numbers + i % numbers);
  moves.remap(work.data(), work.data(), nullptr, nullptr);
  for (int i = 0; i < columns() * numbers; i++)
    CHECK(work[static_cast<std::size_t>(i)] ==
          static_cast<FFT_SCALAR>(after(i / numbers, permute) * numbers + i % numbers));
}

// The class hands its arguments to the calls that fftmpi_client.c tests: there and back, and remaps of it.
void three_dimensions() {
  constexpr int depth = 4;
  FFT3d fft(MPI_COMM_WORLD, precision);
  Remap3d moves(MPI_COMM_WORLD);
  int size, sendsize, recvsize;
  fft.setup(depth, nfast, nslow, 0, depth - 1, 0, nfast - 1, jlo, jhi, 0, depth - 1, ilo, ihi, 0, nslow - 1, 1, size,
            sendsize, recvsize);
  moves.setup(0, depth - 1, 0, nfast - 1, jlo, jhi, 0, depth - 1, ilo, ihi, 0, nslow - 1, 2, 1, 1, sendsize, recvsize);
  std::vector<FFT_SCALAR> start(2 * static_cast<std::size_t>(size) + 2, 0), work = start, moved = start;
  for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(depth * rows()); i++)
    start[i] = static_cast<FFT_SCALAR>(value(me * 1000 + static_cast<int>(i)));
  fft.only_remaps(start.data(), work.data(), 1);
  moves.remap(start.data(), moved.data(), nullptr, nullptr);
  CHECK(work == moved);
  fft.compute(start.data(), work.data(), 1);
  CHECK(depth * columns() == 0 || work != moved);
  fft.compute(work.data(), work.data(), -1);
  for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(depth * rows()); i++)
    CHECK(std::abs(work[i] - start[i]) < tolerance);
}

void bad(const char* which) {
  FFT2d fft(MPI_COMM_WORLD, precision);
  std::vector<FFT_SCALAR> work = input();
  if (std::strcmp(which, "early") == 0) fft.compute(work.data(), work.data(), 1);
  if (std::strcmp(which, "twice") == 0) setup(fft, 0), setup(fft, 0);
  if (std::strcmp(which, "permute") == 0) setup(fft, 2);
  CHECK(!"the call returned");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  jlo = nslow * me / ranks, jhi = nslow * (me + 1) / ranks - 1;
  ilo = nfast * me / ranks, ihi = nfast * (me + 1) / ranks - 1;
  if (argc > 1) bad(argv[1]);
  for (int permute = 0; permute < 2; permute++) {
    transform(permute);
    remap(permute);
  }
  three_dimensions();
  MPI_Finalize();
  if (me == 0) std::puts("all right");
  return 0;
}
