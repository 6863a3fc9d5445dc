// What the schedules of broadcasts share: PEs are counted from the root, which is at place 0.
#pragma once

#include <algorithm>

#include "coll/algorithms/rows.hpp"

namespace oshen::coll {

struct places {
  int n;
  int root;
  int mine;

  explicit places(const task& job)
      : n(job.members.n_pes), root(job.root), mine((job.members.my_pe - job.root + n) % n) {}
  int pe_at(int place) const { return (place + root) % n; }
};

// The root reads its source, the others pass on what has come into their dest.
inline const char* held(const task& job) { return job.members.my_pe == job.root ? job.source : job.dest; }

// The root's own dest. In place there is nothing to do, and peers may read it at this moment.
inline void fill_root(const task& job) {
  if (job.members.my_pe == job.root && !job.root_keeps_dest && job.dest != job.source)
    memmove(job.dest, job.source, job.bytes());
}

}  // namespace oshen::coll
