// The ways of a transform, before anything is made: there and back, or the one of a convolution.
#pragma once

#include <vector>

#include "transform.hpp"

namespace oshen::fft {

// What goes by one transit.
struct journey {
  std::vector<route_plan> ways;
  std::vector<int> first_move;  // of each, in `moves`
  std::vector<move> moves;
  std::vector<int> partners;  // the same both ways: their syncs are counted together
  bool at_home = true;
};
// direct: PEs read and write each other's arrays. For PE `me`; pure arithmetic.
journey journey_of(const request& wanted, const route& way, bool direct, int me);

}  // namespace oshen::fft
