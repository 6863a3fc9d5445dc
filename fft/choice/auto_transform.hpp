// The choice for OSHEN_FFT_AUTO: by what was learned earlier, or by trials in the first runs.
#pragma once

#include <memory>
#include <vector>

#include "fft/choice/find.hpp"

namespace oshen::fft {

// The candidates of find_live, the most promising one first: these routes, or pairs of a route and a strategy.
// Collective.
std::vector<candidate_plan> live_candidates(oshen_group_t* group, const request& wanted);
// The request that find_live makes of its own: if shmem_ptr does not reach all partners, exchange plans move the data,
// with strategies that are tried together with the routes. Collective.
request auto_request(oshen_group_t* group, const request& wanted);

// Makes the transform. Collective. Returns null with a status.
std::unique_ptr<transform> find_live(oshen_group_t* group, const request& wanted, oshen_status_t* status);

}  // namespace oshen::fft
