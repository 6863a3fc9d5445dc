#include "fft/geometry/split.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace oshen::fft {
namespace {

struct affinity {
  std::size_t points;
  int cell;
  int pe;
};

std::vector<box> cells_of(const axes3& extent, const grid3& grid, const axes3& order) {
  std::vector<box> cells;
  for (int k = 0; k < grid[2]; k++) {
    for (int j = 0; j < grid[1]; j++) {
      for (int i = 0; i < grid[0]; i++) {
        const axes3 index{i, j, k};
        box cell;
        cell.order = order;
        for (int a = 0; a < 3; a++) {
          const auto [low, size] = split_range(extent[a], grid[a], index[a]);
          cell.low[a] = low;
          cell.size[a] = size;
        }
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

// Largest overlap first; equal ones by number, so that all PEs agree.
std::vector<affinity> affinities(const std::vector<box>& cells, const layout& near) {
  std::vector<affinity> list;
  for (int c = 0; c < static_cast<int>(cells.size()); c++) {
    for (int p = 0; p < static_cast<int>(near.size()); p++) {
      const std::size_t points =
          overlap(cells[static_cast<std::size_t>(c)], near[static_cast<std::size_t>(p)]).volume();
      if (points != 0) list.push_back({points, c, p});
    }
  }
  std::stable_sort(list.begin(), list.end(), [](const affinity& a, const affinity& b) { return a.points > b.points; });
  return list;
}

}  // namespace

std::array<int, 2> split_range(int extent, int parts, int index) {
  const auto edge = [&](int i) { return static_cast<int>(static_cast<long long>(extent) * i / parts); };
  return {edge(index), edge(index + 1) - edge(index)};
}

layout cut(const axes3& extent, const grid3& grid, const axes3& order, const layout& near) {
  const std::vector<box> cells = cells_of(extent, grid, order);
  std::vector<int> owner(cells.size(), -1);
  std::vector<bool> busy(near.size(), false);
  const auto give = [&](std::size_t cell, std::size_t pe) {
    owner[cell] = static_cast<int>(pe);
    busy[pe] = true;
  };
  for (const affinity& a : affinities(cells, near)) {
    const auto cell = static_cast<std::size_t>(a.cell), pe = static_cast<std::size_t>(a.pe);
    if (owner[cell] < 0 && !busy[pe]) give(cell, pe);
  }
  std::size_t next = 0;
  for (std::size_t c = 0; c < cells.size(); c++) {
    if (owner[c] >= 0) continue;
    while (busy[next]) next++;
    give(c, next);
  }
  box nothing;
  nothing.order = order;
  layout result(near.size(), nothing);
  for (std::size_t c = 0; c < cells.size(); c++) result[static_cast<std::size_t>(owner[c])] = cells[c];
  return result;
}

std::vector<grid3> grids(const axes3& extent, unsigned whole, int n) {
  std::vector<grid3> result;
  const auto most = [&](int axis) { return (whole >> axis & 1) != 0 ? 1 : extent[axis]; };
  for (int i = 1; i <= n; i++) {
    if (n % i != 0) continue;
    for (int j = 1; j <= n / i; j++) {
      if (n / i % j != 0) continue;
      grid3 grid{i, j, n / i / j};
      bool uncut = true;
      for (int a = 0; a < 3; a++) {
        uncut = uncut && ((whole >> a & 1) == 0 || grid[a] == 1);
        grid[a] = std::min(grid[a], most(a));
      }
      if (uncut && std::find(result.begin(), result.end(), grid) == result.end()) result.push_back(grid);
    }
  }
  if (result.empty()) result.push_back({1, 1, 1});  // one PE owns everything
  return result;
}

std::optional<grid3> grid_of(const layout& boxes) {
  std::set<int> edges[3];
  int owners = 0;
  for (const box& b : boxes) {
    if (b.empty()) continue;
    owners++;
    for (int a = 0; a < 3; a++) edges[a].insert(b.low[a]);
  }
  const grid3 grid{static_cast<int>(edges[0].size()), static_cast<int>(edges[1].size()),
                   static_cast<int>(edges[2].size())};
  if (static_cast<long long>(grid[0]) * grid[1] * grid[2] != owners) return std::nullopt;
  return grid;
}

}  // namespace oshen::fft
