// What a 3-D remap has to send: pure arithmetic on blocks, no PE needed.
//
// A global array of Nfast x Nmid x Nslow elements is split into one block per rank, twice: as it is
// (in) and as it should be (out). An element is a few scalars. Blocks are dense with the fast index
// contiguous; an output block may be stored with its axes rotated (permute). Bounds are always in
// the order of the input axes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::lammps {

// Inclusive bounds along fast, mid, slow; hi < lo owns nothing.
struct block {
  int lo[3];
  int hi[3];

  std::size_t extent(int axis) const {
    return hi[axis] < lo[axis] ? 0 : static_cast<std::size_t>(hi[axis] - lo[axis] + 1);
  }
  std::size_t elements() const { return extent(0) * extent(1) * extent(2); }
};

block overlap(const block& a, const block& b);

// How one rank wants its output stored: 0 as it is, 1 mid becomes fast, 2 slow becomes fast
// (cyclically).
struct storage {
  std::size_t element;  // bytes
  int permute;
};

// The messages of rank `me`: parts of in[me] that lie in the others' out, and the reverse. One per
// peer at most.
std::vector<oshen_message_t> sends(std::span<const block> in, std::span<const block> out, int me,
                                   storage how);
std::vector<oshen_message_t> receives(std::span<const block> in, std::span<const block> out, int me,
                                      storage how);

}  // namespace oshen::lammps
