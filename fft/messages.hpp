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

}  // namespace oshen::fft
