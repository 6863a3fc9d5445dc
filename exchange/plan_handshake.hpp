// What PEs tell each other when they make a plan: where parcels go, what is expected, and where buffers' boxes stand.
#pragma once

#include <span>
#include <vector>

#include "plan_memory.hpp"

namespace oshen::exchange {

// What this PE says to each member of the group, with the status of its own part.
std::vector<note> notes(const oshen_plan& plan, const layout& l, oshen_status_t status);

// Enters what the others said; the worst that has been seen.
oshen_status_t hear(oshen_plan& plan, std::span<const note> heard);

// For those who write to or read from the peers' buffers: where messages lie there.
oshen_status_t fetch_far_boxes(oshen_plan& plan, std::span<const note> heard);

}  // namespace oshen::exchange
