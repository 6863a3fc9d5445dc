// Runs one collective call: checks it, selects the algorithm for its team and size, and runs that.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

void run(kind k, collective_call& call);

// Under OSHEN_CHECK: source and dest are symmetric, lie within one block or variable each, and do not overlap.
[[gnu::cold]] void check_buffers(kind k, const collective_call& call);

}  // namespace oshen::coll
