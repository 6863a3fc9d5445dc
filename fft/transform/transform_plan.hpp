// The plan of a transform before any memory is allocated: the routes in both directions, or the one route of a
// convolution, and their moves. Arithmetic only.
#pragma once

#include <vector>

#include "fft/transform/transform.hpp"

namespace oshen::fft {

struct transform_plan : move_set {
  std::vector<route_plan> directions;
  std::vector<int> first_move;  // of each direction, in `moves`
};

// The plan for PE `me`. direct: PEs read and write each other's arrays.
transform_plan transform_plan_of(const request& wanted, const route& chain, bool direct, int me);

}  // namespace oshen::fft
