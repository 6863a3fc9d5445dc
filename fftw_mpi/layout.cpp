#include "layout.hpp"

#include <algorithm>
#include <utility>

namespace oshen::fftw_mpi {

range part_of(std::ptrdiff_t n, std::ptrdiff_t block, int ranks, int rank) {
  if (block <= 0) block = (n + ranks - 1) / ranks;
  const std::ptrdiff_t low = std::min(n, block * rank);
  const std::ptrdiff_t size = std::min(block, n - low);
  return {size > 0 ? low : 0, size};
}

std::ptrdiff_t local_elements(const std::vector<std::ptrdiff_t>& n, const std::ptrdiff_t (&blocks)[2], int ranks,
                              int rank) {
  std::ptrdiff_t rest = 1;
  for (std::size_t d = 2; d < n.size(); d++) rest *= n[d];
  const std::ptrdiff_t before = part_of(n[0], blocks[0], ranks, rank).size * n[1];
  const std::ptrdiff_t after = part_of(n[1], blocks[1], ranks, rank).size * n[0];
  return std::max(before, after) * rest;
}

oshen_fft_box_t box_of(const std::vector<std::ptrdiff_t>& n, bool transposed, int ranks, int rank) {
  const auto dimensions = static_cast<int>(n.size());
  const auto axis = [dimensions](int dimension) { return dimensions - 1 - dimension; };
  oshen_fft_box_t box{{0, 0, 0}, {1, 1, 1}, {0, 1, 2}};
  for (int d = 0; d < dimensions; d++) box.size[axis(d)] = static_cast<int>(n[static_cast<std::size_t>(d)]);
  const int distributed = transposed ? 1 : 0;
  const range part = part_of(n[static_cast<std::size_t>(distributed)], 0, ranks, rank);
  box.low[axis(distributed)] = static_cast<int>(part.low);
  box.size[axis(distributed)] = static_cast<int>(part.size);
  if (transposed) std::swap(box.order[axis(0)], box.order[axis(1)]);
  return box;
}

}  // namespace oshen::fftw_mpi
