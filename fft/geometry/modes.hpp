// The modes that a transform keeps. Arithmetic only.
//
// Along an axis the spectrum of an array has the kept modes only, one after the other: first those from the start of
// all modes, then those from the end. A forward pass drops the modes between them when it writes a tile. A backward
// pass puts the kept modes to their positions in the tile, and zeros between them.
#pragma once

#include <vector>

#include "fft/geometry/box.hpp"
#include "oshen/fft.h"

namespace oshen::fft {

// The modes that are kept along one axis: the first `low` and the last `high` of `all`. By default none is dropped.
struct kept_modes {
  int all = 0, low = 0, high = 0;

  bool operator==(const kept_modes&) const = default;
  bool drops() const { return all != 0; }
  int count() const { return low + high; }
  // The position among all modes of the kept mode number `i`.
  int position(int i) const { return i < low || !drops() ? i : i + all - count(); }
};

using kept3 = per_axis<kept_modes>;

// Whether the results along this axis have high frequencies in the middle, not at the end.
bool high_modes_in_middle(oshen_fft_along_t along, bool halved);

// The lowest `count` modes of `all`; 0: all.
kept_modes lowest_modes(oshen_fft_along_t along, bool halved, int all, int count);

bool drops(const kept3& kept);

// Splits a box of kept modes into boxes whose points are neighbours among all modes too.
std::vector<box> contiguous_parts(const box& points, const kept3& kept);

// The position of a point among all modes.
axes3 position_of(const axes3& point, const kept3& kept);

// The boxes of the dropped modes in a tile of all modes. They may overlap.
std::vector<box> dropped_parts(const box& tile, const kept3& kept);

}  // namespace oshen::fft
