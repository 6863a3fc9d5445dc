// A mistake that several PEs make together is seen by several: one of them says what it is.
#pragma once

#include "world/world.hpp"

namespace oshen::coll {

// Returns on the first PE of the job that calls it, which then says what is wrong and ends the job. The others stay
// here until that has happened.
void claim_last_words(world& w);

}  // namespace oshen::coll
