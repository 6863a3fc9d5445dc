// From a call to an algorithm.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

// Carries out `job` by the algorithm chosen for its team and size.
void run(kind k, task& job);

}  // namespace oshen::coll
