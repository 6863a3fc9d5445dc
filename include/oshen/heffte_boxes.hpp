/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The boxes of heFFTe's interface and the functions that split an array into boxes. Include oshen/heffte.hpp. */
#ifndef OSHEN_HEFFTE_BOXES_HPP
#define OSHEN_HEFFTE_BOXES_HPP

#include <mpi.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "exchange.h"

namespace heffte {

/** The indexes from `low` to `high`, both included; empty if a high is below its low. `order`: the axes from the
 * fastest to the slowest in memory. */
template <typename index = int>
struct box3d {
  box3d(std::array<index, 3> first, std::array<index, 3> last, std::array<int, 3> axes)
      : low(first),
        high(last),
        size{{last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1}},
        order(axes) {}
  box3d(std::array<index, 3> first, std::array<index, 3> last) : box3d(first, last, {{0, 1, 2}}) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last)
      : box3d(std::array<index, 3>{{first[0], first[1], 0}}, std::array<index, 3>{{last[0], last[1], 0}}) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last, std::array<int, 2> axes)
      : box3d(std::array<index, 3>{{first[0], first[1], 0}}, std::array<index, 3>{{last[0], last[1], 0}},
              std::array<int, 3>{{axes[0], axes[1], 2}}) {}

  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  long long count() const { return empty() ? 0 : static_cast<long long>(size[0]) * size[1] * size[2]; }
  /** The intersection, in the order of this box. */
  box3d collide(const box3d& other) const {
    std::array<index, 3> first = low, last = high;
    for (std::size_t a = 0; a < 3; a++) {
      first[a] = std::max(first[a], other.low[a]);
      last[a] = std::min(last[a], other.high[a]);
    }
    return box3d(first, last, order);
  }
  /** The box of the spectrum of real numbers: size / 2 + 1 along an axis. */
  box3d r2c(int axis) const {
    std::array<index, 3> last = high;
    const auto a = static_cast<std::size_t>(axis);
    if (!empty()) last[a] = low[a] + size[a] / 2;
    return box3d(low, last, order);
  }
  bool is2d() const { return size[0] == 1 || size[1] == 1 || size[2] == 1; }
  /** Compares without the order of the axes. */
  bool operator==(const box3d& other) const { return low == other.low && high == other.high; }
  bool operator!=(const box3d& other) const { return !(*this == other); }
  bool ordered_same_as(const box3d& other) const { return order == other.order; }
  int find_order(int axis) const { return axis == order[0] ? 0 : axis == order[1] ? 1 : 2; }
  index osize(int place) const { return size[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])]; }

  const std::array<index, 3> low, high, size;
  const std::array<int, 3> order;
};

template <typename index = int>
using box2d = box3d<index>;

template <typename index>
std::ostream& operator<<(std::ostream& to, const box3d<index>& box) {
  for (std::size_t a = 0; a < 3; a++) to << box.low[a] << "  " << box.high[a] << "  (" << box.size[a] << ")\n";
  return to << '(' << box.order[0] << ',' << box.order[1] << ',' << box.order[2] << ")\n\n";
}

/** The smallest box that holds all boxes. */
template <typename index>
box3d<index> find_world(const std::vector<box3d<index>>& boxes) {
  std::array<index, 3> low = boxes.at(0).low, high = boxes[0].high;
  for (const auto& box : boxes) {
    for (std::size_t a = 0; a < 3; a++) {
      low[a] = std::min(low[a], box.low[a]);
      high[a] = std::max(high[a], box.high[a]);
    }
  }
  return box3d<index>(low, high);
}

/** The boxes of a grid of ranks; the first coordinate of the grid changes fastest. Larger boxes come first. */
template <typename index>
std::vector<box3d<index>> split_world(const box3d<index>& world, std::array<int, 3> grid) {
  std::vector<box3d<index>> boxes;
  const auto edge = [&](std::size_t a, int part) {
    const index size = world.size[a], parts = grid[a];
    return world.low[a] + part * (size / parts) + std::min<index>(part, size % parts);
  };
  for (int k = 0; k < grid[2]; k++)
    for (int j = 0; j < grid[1]; j++)
      for (int i = 0; i < grid[0]; i++)
        boxes.emplace_back(std::array<index, 3>{{edge(0, i), edge(1, j), edge(2, k)}},
                           std::array<index, 3>{{edge(0, i + 1) - 1, edge(1, j + 1) - 1, edge(2, k + 1) - 1}},
                           world.order);
  return boxes;
}

/** The grid of `ranks` whose boxes have the least surface: oshen_grid_dims. */
template <typename index>
std::array<int, 3> proc_setup_min_surface(const box3d<index>& world, int ranks) {
  const int extent[3] = {static_cast<int>(world.size[0]), static_cast<int>(world.size[1]),
                         static_cast<int>(world.size[2])};
  std::array<int, 3> grid{};
  if (oshen_grid_dims(ranks, extent, grid.data()) != OSHEN_OK)
    throw std::invalid_argument("heffte::proc_setup_min_surface: expected a box that is not empty, and 1 rank or more");
  return grid;
}

/** The two factors of a number of ranks that differ least; the second one is not below the first. */
inline std::array<int, 2> make_procgrid(int ranks) {
  if (ranks < 1) throw std::invalid_argument("heffte::make_procgrid: expected 1 rank or more");
  int first = 1;
  for (int each = 2; each <= ranks / each; each++)
    if (ranks % each == 0) first = each;
  return {{first, ranks / first}};
}

namespace mpi {

inline int comm_rank(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int comm_size(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}
inline int world_rank() { return comm_rank(MPI_COMM_WORLD); }
/** Whether this is the rank of that number. */
inline bool world_rank(int rank) { return world_rank() == rank; }

template <typename T>
MPI_Datatype type_from();
template <>
inline MPI_Datatype type_from<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype type_from<long long>() {
  return MPI_LONG_LONG;
}
template <>
inline MPI_Datatype type_from<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype type_from<double>() {
  return MPI_DOUBLE;
}

}  // namespace mpi

}  // namespace heffte
#endif
