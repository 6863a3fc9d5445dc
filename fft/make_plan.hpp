// The exchange plan that moves an array from one layout to another.
#pragma once

#include <cstddef>

#include "box.hpp"
#include "oshen/exchange.h"

namespace oshen::fft {

struct move_attr {
  std::size_t element;  // bytes
  int fields;
  std::size_t in_distance, out_distance;  // bytes
  const char* strategy;
};

// Collective.
oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to,
                         const move_attr& how, oshen_plan_t** plan);

// What that takes on this PE. Local.
oshen_need_t plan_need(oshen_group_t* group, const layout& from, const layout& to, const move_attr& how);

}  // namespace oshen::fft
