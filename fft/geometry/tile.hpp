// Tiles: the parts of a box that pass through the cache one at a time. Arithmetic only.
//
// A tile is complete along the axes that are transformed and bounded along the others, so that it stays in the cache
// from its first read to its last write.
#pragma once

#include <cstddef>
#include <vector>

#include "fft/geometry/box.hpp"

namespace oshen::fft {

// The size of the tiles of a box: complete along `axes`. Along the others it grows in the order of the box's storage
// up to `bytes`, but is at least a cache line along the fastest axis.
axes3 tile_size(const box& of, const std::vector<int>& axes, std::size_t element, std::size_t bytes);

// The tiles of `of` in the order of its storage, each at most as large as `size`; their sizes along an axis differ by
// at most one. Each is stored in `order`.
std::vector<box> tiles_of(const box& of, const axes3& size, const axes3& order);

// The order of axes in a tile: axis 0 first if it holds a real axis, else as in the box.
axes3 tile_order(const box& of, bool real);

// Elements from one row (along the fastest axis) to the next: the size, padded so that columns do not fall into the
// same cache sets.
int padded(int size, std::size_t element);

}  // namespace oshen::fft
