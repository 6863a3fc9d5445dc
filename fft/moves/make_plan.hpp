// The exchange plan that moves an array from one layout to another.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fft/geometry/box.hpp"
#include "oshen/exchange.h"

namespace oshen::fft {

struct message_lists {
  std::vector<oshen_message_t> sends, receives;
};

// The messages of PE `me` that move every point from its position in `from` to its position in `to` (messages.cpp).
// Arithmetic only.
message_lists messages(const layout& from, const layout& to, int me, std::size_t element);

struct move_attr {
  std::size_t element;  // bytes
  int fields;
  std::size_t in_distance, out_distance;  // bytes
  const char* strategy;
};

struct plan_deleter {
  void operator()(oshen_plan_t* plan) const { oshen_plan_destroy(plan); }
};
using plan_pointer = std::unique_ptr<oshen_plan_t, plan_deleter>;

// Makes the plan. Collective.
oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to, const move_attr& move,
                         oshen_plan_t** plan);

// The seconds that the model of exchange plans expects with each strategy of the table; negative: unusable. Empty if no
// PE sends anything. Collective.
std::vector<double> strategy_estimates(oshen_group_t* group, const layout& from, const layout& to,
                                       const move_attr& move);

// The memory that it needs on this PE. Local.
oshen_need_t plan_need(oshen_group_t* group, const layout& from, const layout& to, const move_attr& move);

}  // namespace oshen::fft
