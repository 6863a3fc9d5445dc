#pragma once

#include <cstdint>

#include "clocks.hpp"

namespace races {

// One operation on memory, before it is split into cells.
struct operation {
  std::uint32_t site = 0;
  channel how = channel::program;
  std::uint32_t target = 0;
  bool writes = false, atomic = false, stores = false, buffer = false;
  bool fenced = false;  // a fence orders it after earlier puts to the same PE
};

}  // namespace races
