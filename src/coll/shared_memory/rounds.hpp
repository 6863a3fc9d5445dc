// Calls of several rounds: each round counts as a collective, so that it has flag slots of its own.
#pragma once

#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// Begins a further round of the present call. Its signature and its call record go on to the next index.
void begin_round(team& t, const char* routine);

}  // namespace oshen::coll
