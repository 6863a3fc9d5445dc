// The part of heFFTe's interface (2.x) that bench/programs/fft/heffte.cpp uses, from its documentation; transforms do
// nothing.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

namespace heffte {

namespace backend {
struct fftw {};
}  // namespace backend

enum class scale { none, full, symmetric };

// Both ends are inclusive; axis 0 is contiguous.
template <class Index = int>
struct box3d {
  box3d(std::array<Index, 3> lowest, std::array<Index, 3> highest) : low(lowest), high(highest) {}
  long long count() const {
    long long points = 1;
    for (std::size_t a = 0; a < 3; a++) points *= high[a] - low[a] + 1;
    return points;
  }
  std::array<Index, 3> low, high;
};

template <class Backend, class Index = int>
class fft3d {
 public:
  fft3d(box3d<Index> in, box3d<Index> out, MPI_Comm const) : in_(in), out_(out) {}
  long long size_inbox() const { return in_.count(); }
  long long size_outbox() const { return out_.count(); }
  std::size_t size_workspace() const { return static_cast<std::size_t>(in_.count() + out_.count()); }
  template <class From, class To>
  void forward(From const*, To*, To*, scale = scale::none) const {}

 private:
  box3d<Index> in_, out_;
};

}  // namespace heffte
