// What the model expects of the strategies of a plan, before any trial: fft/ chooses its process grids by it.
// exchange/choice/estimate.cpp defines the function. It has C linkage like those of trial_store.hpp.
#pragma once

#include "oshen/exchange.h"

extern "C" {

// Fills in the seconds of a run with each of the first `n` strategies of the table (oshen_strategy_at); negative if the
// plan does not meet the requirements of a strategy. Returns whether any PE sends anything. Collective, with the same
// result on all PEs.
bool oshen_strategy_estimates(oshen_group_t* group, const oshen_plan_attr_t* attr, int n, double* seconds);
}
