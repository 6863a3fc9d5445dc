// Replaces LAMMPS' own remap: a shared library with the functions of remap.h. The accelerator leaves remaps to it, and
// compares its own results with it. Every PE sends its whole box to every PE, which is slow but simple.
#include <mpi.h>

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

namespace {

template <class Visit>
void each_point(const box& b, Visit visit) {
  int point[3];
  for (point[2] = b.low[2]; point[2] <= b.high[2]; ++point[2])
    for (point[1] = b.low[1]; point[1] <= b.high[1]; ++point[1])
      for (point[0] = b.low[0]; point[0] <= b.high[0]; ++point[0]) visit(point);
}

template <class Scalar>
void run(const Scalar* in, Scalar* out, const remap_plan_3d& plan) {
  const auto width = static_cast<std::size_t>(plan.per_element);
  std::vector<int> counts, starts;
  int total = 0;
  for (const box& b : plan.in) {
    starts.push_back(total);
    counts.push_back(static_cast<int>(b.elements() * width * sizeof(Scalar)));
    total += counts.back();
  }
  int me = 0;
  MPI_Comm_rank(plan.comm, &me);
  std::vector<Scalar> all(static_cast<std::size_t>(total) / sizeof(Scalar));
  MPI_Allgatherv(in, counts[static_cast<std::size_t>(me)], MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE,
                 plan.comm);
  each_point(plan.out, [&](const int(&point)[3]) {
    for (std::size_t rank = 0; rank < plan.in.size(); ++rank) {
      if (!plan.in[rank].holds(point)) continue;
      const Scalar* from = all.data() + static_cast<std::size_t>(starts[rank]) / sizeof(Scalar);
      for (std::size_t q = 0; q < width; ++q)
        out[plan.out.index(point, plan.permute) * width + q] = from[plan.in[rank].index(point, 0) * width + q];
    }
  });
}

}  // namespace

#define STOCK __attribute__((visibility("default")))

STOCK remap_plan_3d* remap_3d_create_plan(MPI_Comm comm, int ilo, int ihi, int jlo, int jhi, int klo, int khi, int oilo,
                                          int oihi, int ojlo, int ojhi, int oklo, int okhi, int nqty, int permute, int,
                                          int, int) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const box mine{{ilo, jlo, klo}, {ihi, jhi, khi}};
  std::vector<box> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return new remap_plan_3d{comm, all, {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}}, nqty, permute};
}

STOCK void remap_3d(double* in, double* out, double*, remap_plan_3d* plan) { run(in, out, *plan); }

STOCK void remap_3d_destroy_plan(remap_plan_3d* plan) { delete plan; }
