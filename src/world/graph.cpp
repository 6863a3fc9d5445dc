#include "world/graph.hpp"

#include <stdlib.h>

namespace oshen {
namespace {

std::uint64_t bit_of(int end) { return std::uint64_t{1} << (end % 64); }

}  // namespace

void free_edges(graph& g) {
  free(g.in);
  free(g.lent);
  g.in = g.out = nullptr;
  g.lent = nullptr;
}

int edge_end_allocator::take(int n) {
  os::locked hold(lock_);
  int free = 0;
  for (int end = 0; end < max_edge_ends && free < n; ++end) {
    free = (used_[end / 64] & bit_of(end)) == 0 ? free + 1 : 0;
    if (free < n) continue;
    for (int i = end + 1 - n; i <= end; ++i) used_[i / 64] |= bit_of(i);
    return end + 1 - n;
  }
  return n == 0 ? 0 : -1;
}

void edge_end_allocator::give_back(int first, int n) {
  os::locked hold(lock_);
  for (int i = first; i < first + n; ++i) used_[i / 64] &= ~bit_of(i);
}

}  // namespace oshen
