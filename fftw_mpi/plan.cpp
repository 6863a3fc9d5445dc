#include "plan.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "layout.hpp"
#include "oshen/mpi_fft.h"

namespace oshen::fftw_mpi {
namespace {

const char our_mark = 0;

oshen_fft_effort_t effort_of(unsigned flags) {
  if ((flags & estimate) != 0) return OSHEN_FFT_ESTIMATE;
  return (flags & (patient | exhaustive)) != 0 ? OSHEN_FFT_MEASURE : OSHEN_FFT_BRIEF;
}

bool goes_forward(const request& r) {
  return r.transform == transform_type::complex ? r.sign < 0 : r.transform == transform_type::real_to_complex;
}

// The same result on all ranks, because they give the same arguments.
std::string unsupported(const request& r) {
  if (r.n.size() != 2 && r.n.size() != 3) return "rnk = " + std::to_string(r.n.size()) + ": expected 2 or 3";
  for (const std::ptrdiff_t n : r.n) {
    if (n < 1 || n > INT_MAX) return "n = " + std::to_string(n) + ": expected 1 to " + std::to_string(INT_MAX);
  }
  if (r.howmany != 1 && (r.n.size() > 2 || r.howmany < 1 || r.howmany > INT_MAX))
    return "howmany = " + std::to_string(r.howmany) + ": expected 1, or an array of two dimensions";
  const unsigned real_side = r.transform == transform_type::real_to_complex ? transposed_in : transposed_out;
  if (r.transform != transform_type::complex && (r.flags & real_side) != 0) return "the real array is transposed";
  return (r.flags & wisdom_only) != 0 ? "FFTW_WISDOM_ONLY: there is no wisdom of Oshen" : "";
}

// The boxes of FFTW's input and output are those of the forward transform, or of the backward one in reverse. Several
// transforms are the fastest axis, along which nothing is transformed.
oshen_fft_attr_t attributes(const request& r) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(r.comm, &ranks);
  MPI_Comm_rank(r.comm, &rank);
  std::vector<std::ptrdiff_t> array = r.n, spectrum = r.n;
  if (r.transform != transform_type::complex) spectrum.back() = r.n.back() / 2 + 1;
  const int fastest = r.howmany > 1 ? 1 : 0;  // of the axes that are transformed
  if (r.howmany > 1) {
    array.push_back(r.howmany);
    spectrum.push_back(r.howmany);
  }
  const bool forward = goes_forward(r);
  const bool in_transposed = (r.flags & transposed_in) != 0, out_transposed = (r.flags & transposed_out) != 0;
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  attr.kind = r.transform == transform_type::complex ? OSHEN_FFT_COMPLEX : OSHEN_FFT_REAL;
  attr.precision = r.single ? OSHEN_FFT_FLOAT : OSHEN_FFT_DOUBLE;
  attr.effort = effort_of(r.flags);
  std::fill_n(attr.extent, 3, 1);
  for (std::size_t d = 0; d < array.size(); d++) attr.extent[array.size() - 1 - d] = static_cast<int>(array[d]);
  if (r.howmany > 1) attr.along[0] = OSHEN_FFT_NOTHING;
  attr.in = box_of(array, forward ? in_transposed : out_transposed, ranks, rank);
  if (attr.kind == OSHEN_FFT_REAL) {
    attr.halved_axis = fastest;
    attr.in_embed[fastest] = static_cast<std::size_t>(2 * (r.n.back() / 2 + 1));
  }
  attr.out = box_of(spectrum, forward ? out_transposed : in_transposed, ranks, rank);
  return attr;
}

}  // namespace

std::unique_ptr<plan> plan::make(const request& asked, std::string& why) {
  request wanted = asked;
  // Programs give arrays of two dimensions a third one of one element, which complex arrays do not need.
  if (wanted.transform == transform_type::complex && wanted.n.size() == 3 && wanted.n.back() == 1) wanted.n.pop_back();
  why = unsupported(wanted);
  if (!why.empty()) return nullptr;
  oshen_group_t* group = nullptr;
  if (const char* reason = oshen_mpi_find_group(wanted.comm, &group)) {
    why = reason;
    return nullptr;
  }
  const oshen_fft_attr_t attr = attributes(wanted);
  oshen_fft_t* fft = nullptr;
  const oshen_status_t status = oshen_fft_create(group, &attr, &fft);
  if (status == OSHEN_OK) return std::unique_ptr<plan>(new plan(wanted, fft));
  why = oshen_status_text(status);
  if (status == OSHEN_NO_SPACE) why += ": set SHMEM_SYMMETRIC_SIZE to more";
  return nullptr;
}

plan::plan(const request& wanted, oshen_fft_t* fft)
    : mark_(&our_mark),
      fft_(fft),
      forward_(goes_forward(wanted)),
      type_(wanted.transform),
      in_(wanted.in),
      out_(wanted.out) {
  int ranks = 1;
  MPI_Comm_size(wanted.comm, &ranks);
  double points = 1;
  for (const std::ptrdiff_t n : wanted.n) points *= static_cast<double>(n);
  points_ = points * static_cast<double>(wanted.howmany) / ranks;
  levels_ = std::log2(points);
}

plan::~plan() {
  mark_ = nullptr;
  if (oshen_mpi_common_job() >= 0) oshen_fft_destroy(fft_);  // after MPI_Finalize its memory is gone
}

bool plan::is_one(const void* handle) {
  const void* first = nullptr;
  if (handle != nullptr) std::memcpy(&first, handle, sizeof first);
  return first == &our_mark;
}

void plan::run(const void* in, void* out) const {
  const auto transform = forward_ ? oshen_fft_forward : oshen_fft_backward;
  transform(fft_, in, out, OSHEN_FFT_SCALE_NONE);
}

std::string plan::text() const {
  std::string text(oshen_fft_describe(fft_, nullptr, 0) + 1, '\0');
  oshen_fft_describe(fft_, text.data(), text.size());
  text.pop_back();
  return "(oshen " + text + ")";
}

double plan::operations() const { return (type_ == transform_type::complex ? 5 : 2.5) * points_ * levels_; }

}  // namespace oshen::fftw_mpi
