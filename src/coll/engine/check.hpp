// Looks at one collective call before it begins.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

// OSHEN_CHECK: source and dest do not overlap, and the PEs of the team call the same.
void check_call(kind k, const task& job);

// collect: all contributions together have room from dest on. Known only when all counts are.
void check_room(const task& job);

}  // namespace oshen::coll
