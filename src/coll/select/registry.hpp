// The table of algorithms: declares every algorithm of algorithms.def, and lists them.
#pragma once

#include <span>

#include "coll/collective.hpp"

namespace oshen::coll {

#define ALGORITHM(name) extern const algorithm name;
#define SCHEDULE(name) extern const protocol_variants name;
#include "coll/select/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM

// OSHEN_CHECK replaces the selected sync by this one, which is the last entry of the table and not in registry().
extern const algorithm checked_sync;

std::span<const algorithm* const> registry();
extern const algorithm* const algorithm_table[];  // the same table, without a call

}  // namespace oshen::coll
