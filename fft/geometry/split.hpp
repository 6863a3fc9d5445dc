// Layouts of work arrays: the global array is cut into equal cells along the axes that are not transformed, one cell
// per PE. Arithmetic only.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fft/geometry/box.hpp"

namespace oshen::fft {

// The number of cells along each axis; their product is at most the number of PEs.
using grid3 = per_axis<int>;

// Range `index` when 0 .. extent - 1 is split into `parts` ranges: {low, size}. Sizes differ by at most one.
std::array<int, 2> split_range(int extent, int parts, int index);

// Assigns all cells of the grid, stored in `order`, to PEs so that little data moves: a PE gets, if possible, the cell
// that overlaps most with its box in `near`. PEs without a cell have an empty box.
layout cut(const axes3& extent, const grid3& grid, const axes3& order, const layout& near);

// All grids of n cells, or fewer if axes are too short, in which the axes of the mask `whole` (bit a: axis a) are not
// cut.
std::vector<grid3> grids(const axes3& extent, unsigned whole, int n);

// The grid that these boxes form, if they form one.
std::optional<grid3> grid_of(const layout& boxes);

}  // namespace oshen::fft
