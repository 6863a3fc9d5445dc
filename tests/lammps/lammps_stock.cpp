// Replaces LAMMPS: a shared library with the functions of remap.h and fft3d.h. The accelerator leaves remaps and
// transforms to it, and compares its own results with it. Every rank sends its whole box to every rank, which is slow
// but simple.
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

struct box {
  int low[3], high[3];  // inclusive; axis 0 is the fast one before a permutation

  int size(int axis) const { return high[axis] - low[axis] + 1; }
  std::size_t elements() const {
    std::size_t n = 1;
    for (int axis = 0; axis < 3; ++axis) n *= static_cast<std::size_t>(size(axis) > 0 ? size(axis) : 0);
    return n;
  }
  // The index of a point in an array whose fastest axis is `first`, followed by the next axes cyclically.
  std::size_t index(const int (&point)[3], int first) const {
    std::size_t at = 0;
    for (int n = 2; n >= 0; --n) {
      const int axis = (first + n) % 3;
      at = at * static_cast<std::size_t>(size(axis)) + static_cast<std::size_t>(point[axis] - low[axis]);
    }
    return at;
  }
  bool holds(const int (&point)[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (point[axis] < low[axis] || point[axis] > high[axis]) return false;
    return true;
  }
};

struct remap_plan_3d {
  MPI_Comm comm;
  std::vector<box> in;  // of all ranks
  box out;
  int per_element, permute;
};

struct fft_plan_3d {
  MPI_Comm comm;
  int extent[3];
  std::vector<box> in;  // of all ranks
  box out;
  int permute;
};

namespace {

template <class Visit>
void each_point(const box& b, Visit visit) {
  int point[3];
  for (point[2] = b.low[2]; point[2] <= b.high[2]; ++point[2])
    for (point[1] = b.low[1]; point[1] <= b.high[1]; ++point[1])
      for (point[0] = b.low[0]; point[0] <= b.high[0]; ++point[0]) visit(point);
}

std::vector<box> boxes_of_all(MPI_Comm comm, const box& mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<box> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return all;
}

// A mesh with the elements of all ranks. An element has `width` values.
template <class Value>
class whole_mesh {
 public:
  whole_mesh(MPI_Comm comm, const std::vector<box>& boxes, const Value* mine, std::size_t width)
      : boxes_(boxes), width_(width) {
    std::vector<int> counts;
    int total = 0;
    for (const box& b : boxes) {
      starts_.push_back(total);
      counts.push_back(static_cast<int>(b.elements() * width * sizeof(Value)));
      total += counts.back();
    }
    int me = 0;
    MPI_Comm_rank(comm, &me);
    values_.resize(static_cast<std::size_t>(total) / sizeof(Value));
    MPI_Allgatherv(mine, counts[static_cast<std::size_t>(me)], MPI_BYTE, values_.data(), counts.data(), starts_.data(),
                   MPI_BYTE, comm);
  }
  const Value* at(const int (&point)[3]) const {
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank)
      if (boxes_[rank].holds(point))
        return values_.data() + static_cast<std::size_t>(starts_[rank]) / sizeof(Value) +
               boxes_[rank].index(point, 0) * width_;
    return nullptr;
  }

 private:
  const std::vector<box>& boxes_;
  std::size_t width_;
  std::vector<int> starts_;
  std::vector<Value> values_;
};

template <class Scalar>
void run(const Scalar* in, Scalar* out, const remap_plan_3d& plan) {
  const auto width = static_cast<std::size_t>(plan.per_element);
  const whole_mesh<Scalar> mesh(plan.comm, plan.in, in, width);
  each_point(plan.out, [&](const int(&point)[3]) {
    if (const Scalar* from = mesh.at(point))
      for (std::size_t q = 0; q < width; ++q) out[plan.out.index(point, plan.permute) * width + q] = from[q];
  });
}

void transform(const std::complex<double>* in, std::complex<double>* out, int sign, const fft_plan_3d& plan) {
  const whole_mesh<std::complex<double>> mesh(plan.comm, plan.in, in, 1);
  const box all{{0, 0, 0}, {plan.extent[0] - 1, plan.extent[1] - 1, plan.extent[2] - 1}};
  const double turn = -2 * sign * std::acos(-1.0);
  each_point(plan.out, [&](const int(&mode)[3]) {
    std::complex<double> sum = 0;
    each_point(all, [&](const int(&point)[3]) {
      double angle = 0;
      for (int axis = 0; axis < 3; ++axis) angle += turn * mode[axis] * point[axis] / plan.extent[axis];
      sum += *mesh.at(point) * std::polar(1.0, angle);
    });
    out[plan.out.index(mode, plan.permute)] = sum;
  });
}

}  // namespace

#define STOCK __attribute__((visibility("default")))

STOCK remap_plan_3d* remap_3d_create_plan(MPI_Comm comm, int ilo, int ihi, int jlo, int jhi, int klo, int khi, int oilo,
                                          int oihi, int ojlo, int ojhi, int oklo, int okhi, int nqty, int permute, int,
                                          int, int) {
  return new remap_plan_3d{comm,
                           boxes_of_all(comm, {{ilo, jlo, klo}, {ihi, jhi, khi}}),
                           {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}},
                           nqty,
                           permute};
}

STOCK void remap_3d(double* in, double* out, double*, remap_plan_3d* plan) { run(in, out, *plan); }

STOCK void remap_3d_destroy_plan(remap_plan_3d* plan) { delete plan; }

extern "C" {

STOCK fft_plan_3d* fft_3d_create_plan(MPI_Comm comm, int nfast, int nmid, int nslow, int ilo, int ihi, int jlo, int jhi,
                                      int klo, int khi, int oilo, int oihi, int ojlo, int ojhi, int oklo, int okhi, int,
                                      int permute, int* buffer_size, int, int) {
  *buffer_size = 0;
  return new fft_plan_3d{comm,
                         {nfast, nmid, nslow},
                         boxes_of_all(comm, {{ilo, jlo, klo}, {ihi, jhi, khi}}),
                         {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}},
                         permute};
}

STOCK void fft_3d(void* in, void* out, int sign, fft_plan_3d* plan) {
  transform(static_cast<const std::complex<double>*>(in), static_cast<std::complex<double>*>(out), sign, *plan);
}

STOCK void fft_3d_destroy_plan(fft_plan_3d* plan) { delete plan; }
}
