// Treats an array of one axis as a matrix, so that PEs can share its transform. Arithmetic only.
//
// Element i is in row i / columns and column i % columns. Axis 0 of the matrix runs along a row, axis 1 along a
// column. Each column is transformed, element (column a, result j) is multiplied by exp(-2 pi i a j / length), then
// each row is transformed. Element k of row j is then number j + rows * k of the spectrum (Gentleman and Sande;
// Bailey's four steps). So the natural order of the spectrum is the matrix in column order, which costs one more move.
#pragma once

#include "fft/geometry/route.hpp"

namespace oshen::fft {

// Whether the array has one axis of complex numbers with a Fourier transform, and no other.
bool is_line(const fft_problem& problem);
// That axis.
int axis_of_line(const fft_problem& problem);

// The blocks of an array of one axis: the caller's, and with edges rounded to whole rows for the transform.
struct blocks {
  layout given, rounded;

  bool differ() const { return !same_places(given, rounded); }
};

// The best number of columns for this length, of the divisors between 1 and the length; 1 if there is none. It
// prefers, in this order: rows and columns for as many PEs as possible, blocks of whole rows before and whole columns
// after, a square.
int best_columns(int length, const layout& in, const layout& out, int axis);

struct matrix {
  fft_problem problem;  // extent {columns, rows, 1}
  blocks in, out;
};
// transposed: the spectrum is left as the rows of the matrix.
matrix matrix_of(const fft_problem& line, int columns, bool transposed);

}  // namespace oshen::fft
