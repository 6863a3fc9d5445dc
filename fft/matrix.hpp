// An array of one axis as a matrix, so that PEs can share its transform: pure arithmetic.
//
// Element i stands in row i / columns and column i % columns. Axis 0 of the matrix runs along a row, axis 1 along a
// column. Each column is transformed, element (column a, result j) multiplied by the root exp(-2 pi i a j / length),
// then each row: what stands in row j at place k is number j + rows * k of the spectrum (Gentleman and Sande; Bailey's
// four steps). So the natural order of the spectrum is the matrix in the order of columns, which costs one more move.
#pragma once

#include "route.hpp"

namespace oshen::fft {

// Nothing but one axis of complex numbers, which has Fourier's transform.
bool is_line(const problem& what);
// Of a line: that axis.
int axis_of_line(const problem& what);

// Blocks of a line: as the caller has them, and with edges moved to the next whole row, in which a transform works.
struct blocks {
  layout given, rounded;

  bool differ() const { return !same_points(given, rounded); }
};

// How many columns a line of this length should have, of the divisors between 1 and the length; 1: it has none. Rows
// and columns for as many PEs as can be count most, then that blocks are whole rows before and after, then a square.
int best_columns(int length, const layout& in, const layout& out, int axis);

struct matrix {
  problem what;  // extent {columns, rows, 1}
  blocks in, out;
};
// transposed: the spectrum is left as the rows of the matrix.
matrix matrix_of(const problem& line, int columns, bool transposed);

}  // namespace oshen::fft
