// A transform of an array of one axis whose blocks are not whole rows of its matrix (matrix.hpp): what crosses an edge
// moves before, and behind.
#pragma once

#include "transform.hpp"

namespace oshen::fft {

// Finds the best way in rounded blocks, with what moves around it. Collective; null with a status.
std::unique_ptr<transform> find_reblocked(oshen_group_t* group, const request& wanted, oshen_status_t* status);

// What moves there take beside the way: of the arena, and ordinary. Local.
oshen_need_t reblocking_need(oshen_group_t* group, const request& wanted);

}  // namespace oshen::fft
