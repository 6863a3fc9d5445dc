// One-dimensional transforms of all lines of a tile, in place, by FFTW.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "box.hpp"

namespace oshen::fft {

enum class direction { forward, backward };

// A tile in memory: where its complex elements lie, by axis. Real elements of a tile lie in the
// same rows, axis 0 contiguous: twice the strides of the other axes, counted in real numbers.
struct tile_memory {
  axes3 size{};  // in complex elements
  strides3 stride{};
  std::size_t elements = 0;  // with padding
};

// `order`: axes from the fastest.
tile_memory lay_out_tile(const axes3& complex_size, const axes3& order, std::size_t complex_bytes);

// The plans of one shape of tile. T: float or double.
template <class T>
class tile_transform {
 public:
  // real_size: elements along axis 0 before it becomes complex (forward) or after it became real
  // (backward); 0: all complex. The plans work on `scratch` only, and planning overwrites it.
  tile_transform(const tile_memory& memory, const std::vector<int>& axes, direction way,
                 int real_size, bool measure, std::complex<T>* scratch);
  ~tile_transform();
  tile_transform(const tile_transform&) = delete;
  tile_transform& operator=(const tile_transform&) = delete;

  void run() const;

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

extern template class tile_transform<double>;
extern template class tile_transform<float>;

}  // namespace oshen::fft
