#include "fft/geometry/matrix.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace oshen::fft {
namespace {

constexpr axes3 by_columns{1, 0, 2};

// The largest step of which all block edges are multiples.
int step_of(const layout& boxes, int axis) {
  int step = 0;
  for (const box& b : boxes) {
    if (!b.empty()) step = std::gcd(step, std::gcd(b.low[axis], b.size[axis]));
  }
  return step;
}

// Rounds the edges of all blocks to the nearest multiple of `width`. The blocks still cover the same array; they are
// dense.
layout rounded(const layout& given, int axis, int width) {
  const auto nearest = [&](int edge) {
    return static_cast<int>((static_cast<long long>(edge) + width / 2) / width * width);
  };
  layout result = given;
  for (box& b : result) {
    const int low = nearest(b.low[axis]), end = nearest(b.end(axis));
    b.low[axis] = low;
    b.size[axis] = end - low;
    b.room = {};
    if (b.empty()) b.low = b.size = {};
  }
  return result;
}

// The boxes of the matrix for blocks of whole rows (axis 1) or columns (axis 0).
layout boxes_of(const layout& line, int axis, int width, int along, const axes3& order) {
  layout result;
  for (const box& b : line) {
    box part;
    part.order = order;
    if (!b.empty()) {
      part.size = {width, width, 1};
      part.low[along] = b.low[axis] / width;
      part.size[along] = b.size[axis] / width;
    }
    result.push_back(part);
  }
  return result;
}

}  // namespace

int axis_of_line(const fft_problem& problem) {
  return static_cast<int>(std::max_element(problem.extent.begin(), problem.extent.end()) - problem.extent.begin());
}

bool is_line(const fft_problem& problem) {
  const int axis = axis_of_line(problem);
  for (int a = 0; a < 3; a++) {
    const bool fourier = problem.along[a] == OSHEN_FFT_FOURIER;
    if (a == axis ? !fourier : problem.extent[a] != 1 || (!fourier && problem.along[a] != OSHEN_FFT_NOTHING))
      return false;
  }
  return !problem.real_in;
}

int best_columns(int length, const layout& in, const layout& out, int axis) {
  const int pes = static_cast<int>(in.size()), in_step = step_of(in, axis), out_step = step_of(out, axis);
  int best = 1;
  std::tuple<int, int, int> most{0, 0, 0};
  const auto consider = [&](int columns) {
    const int rows = length / columns, shorter = std::min(rows, columns);
    const std::tuple now{std::min(shorter, pes), (in_step % columns == 0) + (out_step % rows == 0), shorter};
    if (now <= most) return;
    most = now;
    best = columns;
  };
  for (int divisor = 2; divisor <= length / divisor; divisor++) {
    if (length % divisor != 0) continue;
    consider(divisor);
    consider(length / divisor);
  }
  return best;
}

matrix matrix_of(const fft_problem& line, int columns, bool transposed) {
  const int axis = axis_of_line(line), rows = line.extent[axis] / columns;
  const int out_width = transposed ? columns : rows;
  matrix made{line, {line.in, rounded(line.in, axis, columns)}, {line.out, rounded(line.out, axis, out_width)}};
  fft_problem& problem = made.problem;
  problem.is_matrix = true;
  problem.extent = {columns, rows, 1};
  problem.along = {OSHEN_FFT_FOURIER, OSHEN_FFT_FOURIER, OSHEN_FFT_NOTHING};
  problem.in = boxes_of(made.in.rounded, axis, columns, 1, natural_order);
  problem.out = transposed ? boxes_of(made.out.rounded, axis, columns, 1, natural_order)
                           : boxes_of(made.out.rounded, axis, rows, 0, by_columns);
  // If edges were moved, the matrix does not use the caller's buffers.
  problem.symmetric_in = line.symmetric_in && !made.in.differ();
  problem.symmetric_out = line.symmetric_out && !made.out.differ();
  return made;
}

}  // namespace oshen::fft
