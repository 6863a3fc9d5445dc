// The messages of a 3-D remap. Arithmetic on blocks only.
//
// A global array of Nfast x Nmid x Nslow elements is split into one block per rank, twice: before (in) and after (out)
// the remap. An element is one or more scalars. Blocks are dense with the fast index contiguous; an output block may
// be stored with its axes rotated (permute). Bounds are always in the order of the input axes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::lammps {

// Inclusive bounds along fast, mid, slow. A block with hi < lo is empty.
struct block {
  int lo[3];
  int hi[3];

  std::size_t extent(int axis) const {
    return hi[axis] < lo[axis] ? 0 : static_cast<std::size_t>(hi[axis] - lo[axis] + 1);
  }
  std::size_t elements() const { return extent(0) * extent(1) * extent(2); }
};

block overlap(const block& a, const block& b);

// The storage of the output: permute 0 as the input, 1 mid becomes fast, 2 slow becomes fast (cyclically).
struct storage {
  std::size_t element;  // bytes
  int permute;
};

// The messages of rank `me`: the overlaps of in[me] with the others' out, and the reverse. At most one per peer.
std::vector<oshen_message_t> sends(std::span<const block> in, std::span<const block> out, int me, storage stored);
std::vector<oshen_message_t> receives(std::span<const block> in, std::span<const block> out, int me, storage stored);

}  // namespace oshen::lammps
