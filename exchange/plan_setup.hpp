// Making a plan, in two steps: an opening in which all PEs learn that all want the same, then one
// attempt per strategy.
#pragma once

#include <memory>

#include "plan.hpp"

namespace oshen::exchange {

// What the caller said, and the parcels that follow from it; `group` and `how` are there. Local; may throw
// std::bad_alloc.
void fill_in(oshen_plan& plan, const oshen_plan_attr_t& attr);

// A plan with this strategy. Collective, after an opening that found all arguments in order.
oshen_status_t make(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& how,
                    std::unique_ptr<oshen_plan>& plan);

// Gives all memory back at once: only for a plan that no peer has ever run.
void unmake(std::unique_ptr<oshen_plan> plan);

// The fastest of the strategies that work, measured, or what a file says. Collective likewise.
oshen_status_t make_fastest(oshen_group& group, const oshen_plan_attr_t& attr,
                            std::unique_ptr<oshen_plan>& plan);

}  // namespace oshen::exchange
