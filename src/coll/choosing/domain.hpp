// Domains: consecutive PEs of a team that are near to each other, led by the first of them. Hierarchical algorithms
// talk within domains first, then among leaders. On one node there is nothing nearer than the node, so a team is one
// domain unless OSHEN_COLL_DOMAIN says how many PEs make one.
#pragma once

#include "coll/choosing/registry.hpp"
#include "world/world.hpp"

namespace oshen::coll {

struct domain {
  int size;    // of all domains but the last
  int count;   // how many there are
  int mine;    // the one of this PE
  int first;   // its PEs: [first, end)
  int end;

  explicit domain(const team& t)
      : size(t.home->config.coll_domain > 0 ? t.home->config.coll_domain : t.n_pes),
        count((t.n_pes + size - 1) / size),
        mine(t.my_pe / size),
        first(mine * size),
        end(first + size < t.n_pes ? first + size : t.n_pes) {}
};

// More than one domain, and more than leaders: otherwise a hierarchy has nothing to gain.
inline bool has_hierarchy(const setting& s) { return s.domain > 1 && s.domain < s.n_pes; }
inline double domains_of(const setting& s) { return (s.n_pes + s.domain - 1) / s.domain; }

}  // namespace oshen::coll
