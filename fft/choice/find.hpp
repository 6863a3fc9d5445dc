// The choice of a transform's route, and of the strategy of its exchange plans.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fft/transform/transform.hpp"

namespace oshen::fft {

// A route that find_transform may choose, with the options that memory depends on.
struct candidate_plan {
  route chain;
  tuning options;
  const char* strategy = nullptr;  // of exchange plans; null: that of the request
};
std::vector<candidate_plan> candidate_plans(const request& wanted);
// Whether strategies of exchange plans are tried.
bool tries_strategies(const request& wanted);
// The request with the strategy of a candidate.
request with_strategy(const request& wanted, const candidate_plan& one);

// The routes that find_live may try, the cheapest first, all with different names. If strategies are tried too, each
// route has another process grid.
std::vector<candidate_plan> live_routes(const request& wanted);
// A word for the choice file.
std::string name_of(const candidate_plan& way);
// Bytes of the arena that find_transform uses for its trial buffer.
std::size_t trial_bytes(const request& wanted, int me);

// Makes a transform with the best route: by estimated cost, or by measuring the most promising ones.
// Collective. Returns null with a status.
std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted, oshen_status_t* status);

// The same for an array of one axis whose blocks are not whole rows of its matrix (reblocked.cpp): the best transform
// of rounded blocks, with moves between the given and the rounded blocks around it.
std::unique_ptr<transform> find_reblocked(oshen_group_t* group, const request& wanted, oshen_status_t* status);
// Memory for the moves and the buffer of find_reblocked on this PE. Local.
oshen_need_t reblocking_need(oshen_group_t* group, const request& wanted);

}  // namespace oshen::fft
