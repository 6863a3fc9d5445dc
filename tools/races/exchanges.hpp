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
  std::vector<location> dests;
  std::vector<std::size_t> dest_bytes;
  void add_dest(const races_blocks& blocks);
  void add_dest(const void* start, std::size_t bytes);
};
// The collective is complete on this PE: it learns of the others, and its dest has been written.
void finish(std::uint32_t at, const started& what);

void read_blocks(std::uint32_t at, const races_blocks& blocks);

}  // namespace races
