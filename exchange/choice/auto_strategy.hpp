// The strategy "auto".
#pragma once

#include <memory>

#include "exchange/plan/plan.hpp"

namespace oshen::exchange {

// Makes a plan with the strategy that was learned, or that the model or trials find best.
// Collective, after a handshake that found all attributes valid.
oshen_status_t make_auto_plan(oshen_group& group, const oshen_plan_attr_t& attr, std::unique_ptr<oshen_plan>& plan);

}  // namespace oshen::exchange
