// The factors between the two transforms of an array of one axis that is kept as a matrix (matrix.hpp).
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "fftw.hpp"

namespace oshen::fft {

// Powers of the root of one of order `length`, as products of a coarse and a fine one: tables of about its square root.
template <class T>
class twiddles {
 public:
  // Forward: the root exp(-2 pi i / length); backward: its inverse.
  twiddles(int length, direction way);
  static std::size_t bytes(int length);

  // Multiplies element (i, j) of a tile, counted from the matrix' corner, by power i * j. Rows of the tile run along
  // axis 0 or 1.
  void multiply(const box& tile, const tile_memory& memory, std::complex<T>* numbers) const;

 private:
  void multiply_row(std::complex<T>* row, int count, int first, int step) const;

  int length_;
  std::vector<std::complex<T>> coarse_, fine_;
};

extern template class twiddles<double>;
extern template class twiddles<float>;

}  // namespace oshen::fft
