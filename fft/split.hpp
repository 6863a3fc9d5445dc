// Layouts of work arrays: the global array cut into equal parts along the axes that are not
// transformed, one part per PE. Pure arithmetic.
#pragma once

#include <array>
#include <vector>

#include "box.hpp"

namespace oshen::fft {

// How many parts along each axis; their product is at most the number of PEs.
using grid3 = per_axis<int>;

// Part `index` of `parts` of 0 .. extent - 1: {low, size}. Sizes differ by one at most.
std::array<int, 2> part_of(int extent, int parts, int index);

// All cells of the grid, stored in `order`, given to PEs so that as little as possible has to move:
// a PE gets, as far as possible, the cell with which its box in `near` overlaps most. PEs without a
// cell have an empty box.
layout cut(const axes3& extent, const grid3& grid, const axes3& order, const layout& near);

// All grids of exactly n cells, or fewer where the axes are too short, that leave the axes of the
// mask `whole` (bit a: axis a) uncut.
std::vector<grid3> grids(const axes3& extent, unsigned whole, int n);

}  // namespace oshen::fft
