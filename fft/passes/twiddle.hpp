// The factors between the two transforms of an array of one axis that is treated as a matrix (matrix.hpp).
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "fft/passes/fftw.hpp"

namespace oshen::fft {

// Powers of exp(2 pi i / length), as products of a coarse and a fine one, from tables of about sqrt(length) entries.
template <class T>
class twiddles {
 public:
  // Forward: powers of exp(-2 pi i / length); backward: of its inverse.
  twiddles(int length, direction dir);
  static std::size_t bytes(int length);

  // Multiplies element (i, j) of a tile, counted from the corner of the matrix, by power i * j. The rows of the tile
  // run along axis 0 or 1.
  void multiply(const box& tile, const tile_memory& memory, std::complex<T>* numbers) const;

 private:
  void multiply_row(std::complex<T>* row, int count, int first, int step) const;

  int length_;
  std::vector<std::complex<T>> coarse_, fine_;
};

extern template class twiddles<double>;
extern template class twiddles<float>;

}  // namespace oshen::fft
