// Collectives whose dest counts as written by the PE to which it belongs: the extensions.
#pragma once

#include <cstdint>
#include <vector>

#include "calls.h"
#include "detector.hpp"
#include "group.hpp"

namespace races {

// A collective that was started and is not complete.
struct started {
  members all;
  int telling = races_all_tell_all, root = 0;
  std::vector<lent_range> ranges;
  // The dest of this PE, which a blocking collective does not lend.
  void add_dest(const races_blocks& blocks);
  // From now on dest and source are in use. An in-place collective has one range for both.
  void lend(std::uint32_t at, const races_blocks& dest, const races_blocks& source);
  void lend(std::uint32_t at, const void* start, std::size_t bytes, bool writes);
};
// The collective is complete on this PE: it learns of the others, its source has been read and its dest written.
void finish(std::uint32_t at, const started& what);

void read_blocks(std::uint32_t at, const races_blocks& blocks);

}  // namespace races
