// Every algorithm there is. A new one: a file, a line here, a line in registry.cpp.
#pragma once

#include "coll/registry.hpp"

namespace oshen::coll {

extern const algorithm shared_sync, dissemination_sync, central_sync;
extern const algorithm board_broadcast, push_broadcast, pull_broadcast;
extern const algorithm binomial_put_broadcast, binomial_message_broadcast, binomial_pull_broadcast;
extern const algorithm push_collect;
extern const algorithm board_fcollect, push_fcollect;
extern const algorithm board_alltoall, push_alltoall;
extern const algorithm push_alltoalls;
extern const algorithm board_reduce, owner_reduce;
extern const algorithm board_inscan, owner_inscan;
extern const algorithm board_exscan, owner_exscan;

}  // namespace oshen::coll
