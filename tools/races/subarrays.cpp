// Blocks of multidimensional arrays (shmemx_subarray_put and the like), row by row. Arguments that the library will
// refuse have no rows.
#include <algorithm>

#include "calls.h"

namespace {

constexpr int most_axes = 8;

bool fits(const races_array& of, const std::size_t* extents, int axes) {
  for (int i = 0; i < axes; ++i)
    if (of.starts[i] > of.sizes[i] || extents[i] > of.sizes[i] - of.starts[i]) return false;
  return true;
}

// The byte of the array at which the row of these indices begins; they count from the start of the block.
std::size_t row_of(const races_array& of, const std::size_t* indices, int axes, std::size_t element_bytes) {
  std::size_t element = 0;
  for (int i = 0; i < axes; ++i) element = element * of.sizes[i] + of.starts[i] + (i + 1 < axes ? indices[i] : 0);
  return element * element_bytes;
}

// The next row; false: that was the last one.
bool advance(std::size_t* indices, const std::size_t* extents, int axes) {
  for (int i = axes - 2; i >= 0; --i) {
    if (++indices[i] < extents[i]) return true;
    indices[i] = 0;
  }
  return false;
}

}  // namespace

void races_subarray(uint32_t at, races_transfer move, races_array dest, races_array source, const size_t* extents,
                    int axes, size_t element_bytes, races_peer to, int completion) {
  if (axes < 1 || axes > most_axes || !fits(dest, extents, axes) || !fits(source, extents, axes)) return;
  if (std::find(extents, extents + axes, 0u) != extents + axes) return;
  const std::size_t bytes = extents[axes - 1] * element_bytes;
  std::size_t indices[most_axes] = {};
  do {
    auto* const into = static_cast<char*>(const_cast<void*>(dest.start)) + row_of(dest, indices, axes, element_bytes);
    const auto* const from = static_cast<const char*>(source.start) + row_of(source, indices, axes, element_bytes);
    const races_shape row{bytes, 1, 0, 0};
    (move == races_puts ? races_put : races_get)(at, into, from, row, to, completion);
  } while (advance(indices, extents, axes));
}
