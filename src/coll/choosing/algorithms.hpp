// Declares every algorithm of algorithms.def.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

#define ALGORITHM(row) extern const algorithm row;
#define SCHEDULE(rows) extern const protocol_rows rows;
#include "coll/choosing/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM

}  // namespace oshen::coll
