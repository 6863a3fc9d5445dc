// What the schedules of broadcasts share.
#pragma once

#include <algorithm>

#include "coll/algorithms/binomial_tree.hpp"

namespace oshen::coll {

// The root reads its source, the others pass on what has come into their dest.
inline const char* held(const task& job) { return job.members.my_pe == job.root ? job.source : job.dest; }

// The root's own dest. In place there is nothing to do, and peers may read it at this moment.
inline void fill_root(const task& job) {
  if (job.members.my_pe == job.root && !job.root_keeps_dest && job.dest != job.source)
    memmove(job.dest, job.source, job.bytes());
}

}  // namespace oshen::coll
