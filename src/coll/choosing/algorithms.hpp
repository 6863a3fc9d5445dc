// Declares every algorithm of algorithms.def.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

#define ALGORITHM(row) extern const algorithm row;
#define SCHEDULE(schedule, collective) \
  extern const algorithm schedule##_put_##collective, schedule##_message_##collective, schedule##_pull_##collective;
#include "coll/choosing/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM

}  // namespace oshen::coll
