// Tiles: the parts of a box that pass through the cache one at a time. Pure arithmetic.
//
// A tile is whole along the axes that are transformed and bounded along the others, so that it
// stays in the cache from its being read to its being written.
#pragma once

#include <cstddef>
#include <vector>

#include "box.hpp"

namespace oshen::fft {

// Sizes of the tiles of a box: whole along `axes`; along the others grown in the order of the box's
// storage while `bytes` are not exceeded, but at least a cache line wide along the fastest.
axes3 tile_size(const box& of, const std::vector<int>& axes, std::size_t element,
                std::size_t bytes);

// The parts of `of` in the order of its storage, each at most as large as `size`, sizes differing
// by one at most along an axis. Stored in `order`.
std::vector<box> tiles_of(const box& of, const axes3& size, const axes3& order);

// The order in which a tile is kept: axis 0 first when it holds a real axis, else as the box.
axes3 tile_order(const box& of, bool real);

// Elements from one row (along the fastest axis) to the next: the size, with padding so that
// columns do not fall into the same sets of the cache.
int padded(int size, std::size_t element);

}  // namespace oshen::fft
