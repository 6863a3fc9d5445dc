// Runs one collective call: checks it, chooses the algorithm for its team and size, and calls that.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

void run(kind k, collective_call& call);

}  // namespace oshen::coll
