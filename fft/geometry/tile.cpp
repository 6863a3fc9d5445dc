#include "fft/geometry/tile.hpp"

#include <algorithm>

#include "fft/geometry/split.hpp"

namespace oshen::fft {
namespace {
constexpr std::size_t cache_line = 64;
}

axes3 tile_size(const box& of, const std::vector<int>& axes, std::size_t element, std::size_t bytes) {
  axes3 size{1, 1, 1};
  if (of.empty()) return size;
  std::size_t now = element;
  for (const int a : axes) {
    size[a] = of.size[a];
    now *= static_cast<std::size_t>(of.size[a]);
  }
  for (int i = 0; i < 3; i++) {
    const int a = of.order[i];
    if (std::find(axes.begin(), axes.end(), a) != axes.end()) continue;
    const auto least = i == 0 ? cache_line / element : 1;
    const std::size_t fits = std::max(bytes / now, least);
    size[a] = static_cast<int>(std::min<std::size_t>(fits, static_cast<std::size_t>(of.size[a])));
    now *= static_cast<std::size_t>(size[a]);
  }
  return size;
}

std::vector<box> tiles_of(const box& of, const axes3& size, const axes3& order) {
  std::vector<box> tiles;
  if (of.empty()) return tiles;
  axes3 count{};
  for (int a = 0; a < 3; a++) count[a] = (of.size[a] + size[a] - 1) / size[a];
  const int fast = of.order[0], mid = of.order[1], slow = of.order[2];
  axes3 index{};
  for (index[slow] = 0; index[slow] < count[slow]; index[slow]++) {
    for (index[mid] = 0; index[mid] < count[mid]; index[mid]++) {
      for (index[fast] = 0; index[fast] < count[fast]; index[fast]++) {
        box tile;
        tile.order = order;
        for (int a = 0; a < 3; a++) {
          const auto [low, extent] = split_range(of.size[a], count[a], index[a]);
          tile.low[a] = of.low[a] + low;
          tile.size[a] = extent;
        }
        tiles.push_back(tile);
      }
    }
  }
  return tiles;
}

axes3 tile_order(const box& of, bool real) {
  if (!real || of.order[0] == 0) return of.order;
  axes3 order{0, 0, 0};
  int next = 1;
  for (const int a : of.order) {
    if (a != 0) order[next++] = a;
  }
  return order;
}

int padded(int size, std::size_t element) {
  // An odd number of cache lines, so that rows begin in different cache sets.
  const int per_line = static_cast<int>(cache_line / element);
  const int lines = (size + per_line - 1) / per_line;
  return (lines | 1) * per_line;
}

}  // namespace oshen::fft
