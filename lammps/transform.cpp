#include "transform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include "lines.hpp"
#include "originals.hpp"
#include "snapshot.hpp"
#include "stopwatch.hpp"

namespace oshen::lammps {
namespace {

bool within(const block& b, const int (&extent)[3]) {
  if (b.elements() == 0) return true;
  for (int a = 0; a < 3; a++)
    if (b.lo[a] < 0 || b.hi[a] >= extent[a]) return false;
  return true;
}

bool in_range(const transform_request& r) {
  const bool extents = std::all_of(r.extent, r.extent + 3, [](int n) { return n > 0; });
  return extents && (r.scaled == 0 || r.scaled == 1) && r.permute >= 0 && r.permute <= 2 && within(r.in, r.extent) &&
         within(r.out, r.extent);
}

// Whether the arguments have the expected meaning. They come from a C function, whose name does not change with its
// arguments. Blocks that together cover the whole array are unlikely to be coincidence. Collective.
bool arguments_are_valid(MPI_Comm comm, const transform_request& r) {
  std::int64_t sums[3] = {in_range(r) ? 0 : 1, static_cast<std::int64_t>(r.in.elements()),
                          static_cast<std::int64_t>(r.out.elements())};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm);
  const std::int64_t all = std::int64_t{r.extent[0]} * r.extent[1] * r.extent[2];
  int yes = sums[0] == 0 && sums[1] == all && sums[2] == all ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, comm);
  return yes != 0;
}

oshen_fft_box_t box_of(const block& b, int permute) {
  oshen_fft_box_t box{};
  for (int n = 0; n < 3; n++) {
    box.low[n] = b.lo[n];
    box.size[n] = b.elements() == 0 ? 0 : b.hi[n] - b.lo[n] + 1;
    box.order[n] = (permute + n) % 3;
  }
  return box;
}

template <class Scalar>
void scan(const Scalar* result, const Scalar* expected, std::size_t n, double (&worst)[2]) {
  for (std::size_t i = 0; i < n; i++) {
    worst[0] = std::max(worst[0], std::abs(static_cast<double>(result[i] - expected[i])));
    worst[1] = std::max(worst[1], std::abs(static_cast<double>(expected[i])));
  }
}

template <class Scalar>
double sum_of_squares(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const Scalar*>(data);
  return std::transform_reduce(first, first + bytes / sizeof(Scalar), 0.0, std::plus<>(),
                               [](Scalar x) { return static_cast<double>(x) * static_cast<double>(x); });
}

}  // namespace

transform::transform(job& owner, MPI_Comm comm, const transform_request& r, int* buffer_size)
    : owner_(owner), comm_(comm), request_(r), number_(static_cast<std::size_t>(lammps_precision()) * 8) {
  *buffer_size = 0;
  if (r.scaled == 0) scale_[0] = scale_[1] = OSHEN_FFT_SCALE_NONE;
  if (arguments_are_valid(comm, r)) {
    group_ = &owner_.group_of(comm);
    if (group_->group == nullptr) leave_to_lammps(group_->why_unavailable);
  } else {
    leave_to_lammps(
        "its blocks do not cover its mesh: the arguments may have another meaning in this version of LAMMPS");
  }
  if (group_ == nullptr) original_ = original_fft_create(comm, r, buffer_size);
}

// From now on LAMMPS transforms.
void transform::leave_to_lammps(const std::string& why) {
  group_ = nullptr;
  owner_.counts.transforms_refused++;
  int me = 0;
  MPI_Comm_rank(comm_, &me);
  owner_.left_to_lammps("an FFT is left to LAMMPS", why, me == 0);
}

void transform::learn_scale(oshen_fft_t* plan, void* in, void* out, int flag) {
  const snapshot result = run_both(plan, in, out, flag);
  const std::size_t out_bytes = result.size();
  owner_.counts.transforms_forwarded++;
  double squares[2] = {number_ == 16 ? sum_of_squares<double>(result.data(), out_bytes)
                                     : sum_of_squares<float>(result.data(), out_bytes),
                       number_ == 16 ? sum_of_squares<double>(out, out_bytes) : sum_of_squares<float>(out, out_bytes)};
  MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE, MPI_SUM, comm_);
  if (squares[0] == 0) return;  // zeros tell nothing; the next run may
  const double factor = std::sqrt(squares[1] / squares[0]);
  const double n = static_cast<double>(request_.extent[0]) * request_.extent[1] * request_.extent[2];
  auto& known = scale_[flag == 1];
  if (std::abs(factor - 1) < 1e-3)
    known = OSHEN_FFT_SCALE_NONE;
  else if (std::abs(factor * n - 1) < 1e-3)
    known = OSHEN_FFT_SCALE_FULL;
  else {
    char why[80];
    std::snprintf(why, sizeof why, "LAMMPS scales by %.3g, neither 1 nor 1/(%d x %d x %d)", factor, request_.extent[0],
                  request_.extent[1], request_.extent[2]);
    leave_to_lammps(why);
  }
}

transform::~transform() {
  for (oshen_fft_t* plan : plans_) oshen_fft_destroy(plan);
  if (original_ != nullptr) original_fft_destroy(original_);
}

// Collective on the first call.
fft_plan_3d* transform::original() {
  int buffer_size = 0;
  if (original_ == nullptr) original_ = original_fft_create(comm_, request_, &buffer_size);
  return original_;
}

// From LAMMPS' input to its output: the accelerator's forward transform if forward, else its backward transform.
oshen_fft_t* transform::make(bool forward) {
  const oshen_fft_box_t in = box_of(request_.in, 0), out = box_of(request_.out, request_.permute);
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  std::copy_n(request_.extent, 3, attr.extent);
  attr.precision = number_ == 16 ? OSHEN_FFT_DOUBLE : OSHEN_FFT_FLOAT;
  attr.in = forward ? in : out;
  attr.out = forward ? out : in;
  const std::string& strategy = owner_.mode().strategy;
  attr.strategy = strategy == "auto" ? nullptr : strategy.c_str();
  attr.effort = strategy == "auto" ? OSHEN_FFT_AUTO : OSHEN_FFT_ESTIMATE;
  oshen_fft_t* plan = nullptr;
  const oshen_status_t status = oshen_fft_create(group_->group, &attr, &plan);
  if (status == OSHEN_OK) return plan;
  leave_to_lammps(oshen_status_text(status));
  return nullptr;
}

// Returns null if LAMMPS has to transform.
oshen_fft_t* transform::plan_for(int flag) {
  if (group_ == nullptr || left_[flag == 1]) return nullptr;
  oshen_fft_t*& plan = plans_[flag == 1];
  if (plan == nullptr) plan = make(flag == 1);
  return plan;
}

void transform::run(void* in, void* out, int flag) {
  const int way = flag == 1;
  oshen_fft_t* plan = plan_for(flag);
  if (plan != nullptr && owner_.mode().best && !recalled_[way]) plan = recall(flag);
  if (plan == nullptr) return run_theirs(in, out, flag);
  if (!scale_[way]) return learn_scale(plan, in, out, flag);
  if (owner_.mode().best && !decided_[way]) return compete(plan, in, out, flag);
  count(plan);
  if (!owner_.mode().checks) return run_ours(plan, in, out, flag);
  check(run_both(plan, in, out, flag).data(), out);
  owner_.counts.transforms_checked++;
}

void transform::count(const oshen_fft_t* plan) {
  owner_.counts.transforms++;
  oshen_fft_cost_t cost{};
  oshen_fft_cost(plan, &cost, sizeof cost);
  owner_.counts.bytes += cost.bytes;
}

void transform::run_ours(oshen_fft_t* plan, const void* in, void* out, int flag) {
  const outermost_stopwatch timed(owner_.transforming, owner_.counts.transform_seconds);
  const auto run = flag == 1 ? oshen_fft_forward : oshen_fft_backward;
  latest_.ours = 0;
  const stopwatch of_run(latest_.ours);
  run(plan, in, out, scale_[flag == 1].value_or(OSHEN_FFT_SCALE_NONE));
}

void transform::run_theirs(void* in, void* out, int flag) {
  fft_plan_3d* plan = original();
  owner_.counts.transforms_forwarded++;
  const outermost_stopwatch timed(owner_.transforming, owner_.counts.transform_seconds);
  latest_.theirs = 0;
  const stopwatch of_run(latest_.theirs);
  original_fft(in, out, flag, plan);
}

snapshot transform::run_both(oshen_fft_t* plan, void* in, void* out, int flag) {
  const std::size_t out_bytes = request_.out.elements() * number_;
  const snapshot in_before(in, request_.in.elements() * number_);
  const snapshot out_before(out, out_bytes);
  run_ours(plan, in, out, flag);
  snapshot result(out, out_bytes);
  out_before.restore(out);
  in_before.restore(in);
  fft_plan_3d* theirs = original();
  latest_.theirs = 0;
  const stopwatch of_run(latest_.theirs);
  original_fft(in, out, flag, theirs);
  return result;
}

double transform::difference(const void* result, const void* theirs, bool* is_mine) {
  double worst[2] = {0, 0};  // difference, value
  const std::size_t scalars = request_.out.elements() * 2;
  if (number_ == 16) {
    scan(static_cast<const double*>(result), static_cast<const double*>(theirs), scalars, worst);
  } else {
    scan(static_cast<const float*>(result), static_cast<const float*>(theirs), scalars, worst);
  }
  const double mine = worst[0];
  MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE, MPI_MAX, comm_);
  *is_mine = mine == worst[0];
  const double error = worst[1] > 0 ? worst[0] / worst[1] : worst[0];
  auto& largest = owner_.counts.transform_error;
  largest = std::max(largest, error);
  return error;
}

void transform::check(const void* result, const void* theirs) {
  bool mine = false;
  const double error = difference(result, theirs, &mine);
  if (is_rounding(error) || !mine) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say("check failed: rank %d, FFT %llu of %d x %d x %d: differs by %.1e of the largest value", rank,
      static_cast<unsigned long long>(owner_.counts.transforms), request_.extent[0], request_.extent[1],
      request_.extent[2], error);
  end_job();
}

void transform::run_1d(void* data, int n, int flag) { original_fft_1d(data, n, flag, original()); }

}  // namespace oshen::lammps
