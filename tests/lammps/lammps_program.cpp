// Calls the functions of LAMMPS that the accelerator replaces, with a replacement of LAMMPS (lammps_stock.cpp). Tests
// remaps between boxes of all kinds, in place and not, and on request transforms. The sanitizers test it with the
// accelerator inside the program; it is also built for the ABI of MPI 5, and loads the accelerator as LAMMPS does.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

struct remap_plan_3d;
struct fft_plan_3d;
remap_plan_3d* remap_3d_create_plan(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                    int, int);
void remap_3d(double*, double*, double*, remap_plan_3d*);
void remap_3d_destroy_plan(remap_plan_3d*);
extern "C" {
fft_plan_3d* fft_3d_create_plan(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                int, int, int*, int, int);
void fft_3d(void*, void*, int, fft_plan_3d*);
void fft_3d_destroy_plan(fft_plan_3d*);
}

namespace {

int rank_of_me = 0, ranks = 1;

void fail(const char* what) {
  std::fprintf(stderr, "rank %d: %s\n", rank_of_me, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct box {
  int low[3], high[3];

  int size(int axis) const { return std::max(high[axis] - low[axis] + 1, 0); }
  std::size_t elements() const {
    return static_cast<std::size_t>(size(0)) * static_cast<std::size_t>(size(1)) * static_cast<std::size_t>(size(2));
  }
};

// The part of this rank in a mesh that is cut along one axis.
box slab(const int (&mesh)[3], int axis) {
  box b{{0, 0, 0}, {mesh[0] - 1, mesh[1] - 1, mesh[2] - 1}};
  b.low[axis] = mesh[axis] * rank_of_me / ranks;
  b.high[axis] = mesh[axis] * (rank_of_me + 1) / ranks - 1;
  return b;
}

double value_at(int i, int j, int k, int q) { return 1000 * k + 100 * j + 10 * i + q + 0.5; }

// Calls visit(i, j, k) in the order of memory: axis `first` is the fastest, followed by the next axes cyclically.
template <class Visit>
void each_point(const box& b, int first, Visit visit) {
  const int fast = first % 3, mid = (first + 1) % 3, slow = (first + 2) % 3;
  int p[3];
  for (p[slow] = b.low[slow]; p[slow] <= b.high[slow]; ++p[slow])
    for (p[mid] = b.low[mid]; p[mid] <= b.high[mid]; ++p[mid])
      for (p[fast] = b.low[fast]; p[fast] <= b.high[fast]; ++p[fast]) visit(p[0], p[1], p[2]);
}

void check_remap(const int (&mesh)[3], int from_axis, int to_axis, int permute, int width, bool in_place) {
  const box in = slab(mesh, from_axis), out = slab(mesh, to_axis);
  const auto per_element = static_cast<std::size_t>(width);
  std::vector<double> source, dest(std::max(in.elements(), out.elements()) * per_element, -1), scratch(dest.size());
  each_point(in, 0, [&](int i, int j, int k) {
    for (int q = 0; q < width; ++q) source.push_back(value_at(i, j, k, q));
  });
  remap_plan_3d* plan = remap_3d_create_plan(MPI_COMM_WORLD, in.low[0], in.high[0], in.low[1], in.high[1], in.low[2],
                                             in.high[2], out.low[0], out.high[0], out.low[1], out.high[1], out.low[2],
                                             out.high[2], width, permute, 0, 2, 1);
  for (int run = 0; run < 3; ++run) {
    if (in_place) std::copy(source.begin(), source.end(), dest.begin());
    remap_3d(in_place ? dest.data() : source.data(), dest.data(), scratch.data(), plan);
    std::size_t at = 0;
    each_point(out, permute, [&](int i, int j, int k) {
      for (int q = 0; q < width; ++q)
        if (dest[at++] != value_at(i, j, k, q)) fail("a remap brought something else");
    });
  }
  remap_3d_destroy_plan(plan);
}

std::complex<double> input_at(int i, int j, int k) { return {std::cos(i + 2 * j), std::sin(3 * k + i * j)}; }

std::complex<double> direct_sum(const int (&mesh)[3], int u, int v, int w) {
  std::complex<double> sum = 0;
  const double turn = -2 * std::acos(-1.0);
  each_point({{0, 0, 0}, {mesh[0] - 1, mesh[1] - 1, mesh[2] - 1}}, 0, [&](int i, int j, int k) {
    sum += input_at(i, j, k) *
           std::polar(1.0, turn * (double(u) * i / mesh[0] + double(v) * j / mesh[1] + double(w) * k / mesh[2]));
  });
  return sum;
}

void check_transform(const int (&mesh)[3], int from_axis, int to_axis) {
  const box in = slab(mesh, from_axis), out = slab(mesh, to_axis);
  int unused = 0;
  fft_plan_3d* plan = fft_3d_create_plan(MPI_COMM_WORLD, mesh[0], mesh[1], mesh[2], in.low[0], in.high[0], in.low[1],
                                         in.high[1], in.low[2], in.high[2], out.low[0], out.high[0], out.low[1],
                                         out.high[1], out.low[2], out.high[2], 0, 0, &unused, 1, 0);
  std::vector<std::complex<double>> data;
  each_point(in, 0, [&](int i, int j, int k) { data.push_back(input_at(i, j, k)); });
  data.resize(std::max(in.elements(), out.elements()));
  fft_3d(data.data(), data.data(), 1, plan);
  std::size_t at = 0;
  each_point(out, 0, [&](int u, int v, int w) {
    if (std::abs(data[at++] - direct_sum(mesh, u, v, w)) > 1e-9) fail("a transform differs from the sum");
  });
  fft_3d_destroy_plan(plan);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int meshes[][3] = {{10, 9, 7}, {4, 5, 2}};  // the second has fewer planes than ranks
  for (const auto& mesh : meshes)
    for (int way = 0; way < 36; ++way) check_remap(mesh, way % 3, way / 3 % 3, way / 9 % 3, 1 + way % 2, way / 18 == 1);
  const bool transforms = argc > 1 && std::strcmp(argv[1], "transforms") == 0;
  for (const auto& mesh : meshes)
    for (int way = 0; way < (transforms ? 9 : 0); ++way) check_transform(mesh, way % 3, way / 3);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_of_me == 0) {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    std::printf("accelerator: all right with %s\n", mpi);
  }
  return MPI_Finalize();
}
