// Creating a plan: what the calls that create one have in common.
#pragma once

#include "exchange/group/group.hpp"
#include "oshen/exchange.h"

namespace oshen::exchange {

// Whether the library knows all that the attributes ask for, by their size; prints a line if not.
bool knows_all(const oshen_plan_attr_t& attr);

// Whether the lists are valid and the strategy is known; prints a line if not (plan_attributes.cpp). Local.
oshen_status_t check_attributes(const oshen_group& group, const oshen_plan_attr_t& attr);

// Makes a plan with the chosen strategy or "auto". Collective over the group: this PE found `status` in its arguments,
// and all members return the worst status.
oshen_status_t create_plan(oshen_group& group, const oshen_plan_attr_t& attr, oshen_status_t status,
                           oshen_plan_t** plan);

}  // namespace oshen::exchange
