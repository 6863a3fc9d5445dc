// A move between two layouts as the messages of an exchange plan: pure arithmetic.
#pragma once

#include <cstddef>
#include <vector>

#include "box.hpp"
#include "oshen/exchange.h"

namespace oshen::fft {

struct message_lists {
  std::vector<oshen_message_t> sends, receives;
};

// What PE `me` sends and receives when every point goes from its place in `from` to that in `to`.
message_lists messages(const layout& from, const layout& to, int me, std::size_t element);

// The plan for it. Collective; null with a status that is not OSHEN_OK.
struct move_attr {
  std::size_t element;  // bytes
  int fields;
  std::size_t in_distance, out_distance;  // bytes
  const char* strategy;
};
oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to,
                         const move_attr& how, oshen_plan_t** plan);

}  // namespace oshen::fft
