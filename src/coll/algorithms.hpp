// Every algorithm there is. A new one: a file, a line here, a line in registry.cpp.
#pragma once

#include "coll/registry.hpp"

namespace oshen::coll {

extern const algorithm dissemination_sync, central_sync;
extern const algorithm line_broadcast, push_broadcast, pull_broadcast;
extern const algorithm push_collect;
extern const algorithm line_fcollect, push_fcollect;
extern const algorithm line_alltoall, push_alltoall;
extern const algorithm push_alltoalls;
extern const algorithm line_reduce, owner_reduce;
extern const algorithm line_inscan, owner_inscan;
extern const algorithm line_exscan, owner_exscan;

}  // namespace oshen::coll
