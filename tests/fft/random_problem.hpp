// Random problems of geometry: an array, and boxes before and after.
#pragma once

#include "fft/geometry/matrix.hpp"
#include "random_boxes.hpp"

namespace oshen::fft {

inline layout read(const boxes& given) {
  layout result;
  for (const auto& g : given) {
    box b;
    for (int a = 0; a < 3; a++) {
      b.low[a] = g.low[a];
      b.size[a] = std::max(g.size[a], 0);
      b.order[a] = g.order[a];
    }
    if (b.order == axes3{}) b.order = natural_order;
    if (b.empty()) b.low = b.size = {};
    result.push_back(b);
  }
  return result;
}

// An array of one axis in random blocks, as a matrix.
inline fft_problem random_matrix(random_source& random, int pes, int longest) {
  const int columns = 2 + random.below(longest - 1), rows = 2 + random.below(longest - 1);
  const int extent[3] = {columns * rows, 1, 1};
  fft_problem line;
  line.extent = {extent[0], 1, 1};
  line.in = read(random_boxes(random, extent, pes));
  line.out = random.once_in(2) ? line.in : read(random_boxes(random, extent, pes));
  return matrix_of(line, columns, random.once_in(2)).problem;
}

// Drops modes along some axes.
inline void keep_modes(random_source& random, fft_problem& problem) {
  if (!random.once_in(3)) return;
  const axes3 all = problem.out_extent();
  for (int a = 0; a < 3; a++) {
    if (problem.along[a] == OSHEN_FFT_NOTHING || random.once_in(4)) continue;
    const bool halved = a == 0 && problem.halves();
    problem.kept[a] = lowest_modes(problem.along[a], halved, all[a], 1 + random.below(all[a]));
  }
}

inline fft_problem random_problem(random_source& random, int pes, int longest = 14) {
  if (random.once_in(5)) return random_matrix(random, pes, longest);
  fft_problem problem;
  int extent[3], out_extent[3];
  for (int& e : extent) e = 1 + random.below(longest);
  problem.extent = {extent[0], extent[1], extent[2]};
  problem.real_in = random.once_in(2);
  problem.real_out = problem.real_in && random.once_in(2);
  for (int a = problem.halves() ? 1 : 0; a < 3; a++) {
    if (random.once_in(6)) problem.along[a] = OSHEN_FFT_NOTHING;
  }
  if (problem.along == along3{OSHEN_FFT_NOTHING, OSHEN_FFT_NOTHING, OSHEN_FFT_NOTHING}) problem.along = {};
  keep_modes(random, problem);
  const axes3 after = problem.out_extent();
  std::copy(after.begin(), after.end(), out_extent);
  problem.in = read(random_boxes(random, extent, pes));
  const bool may_stay = !problem.halves() && !problem.drops();
  problem.out = may_stay && random.once_in(2) ? problem.in : read(random_boxes(random, out_extent, pes));
  return problem;
}

}  // namespace oshen::fft
