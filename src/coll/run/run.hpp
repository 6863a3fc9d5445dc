// Runs one collective call: checks it, selects the algorithm for its team and size, and runs that.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

void run(kind k, collective_call& call);

}  // namespace oshen::coll
