// Domains: groups of PEs of a team that are near to each other. The first PE of a domain leads it. Hierarchical
// algorithms communicate within domains first, then among leaders.
//
// If a team spans nodes, its PEs on each node are a domain, whatever their number and order. A team on one node is one
// domain, unless OSHEN_COLL_DOMAIN gives the number of consecutive PEs in a domain. All PEs of a team compute the same
// domains, because each knows the node of every PE.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

// Domains are numbered by their leaders, in the order of the team; so are the PEs of a domain.
struct domains {
  int count = 0;                 // The number of domains.
  int largest = 0;               // The number of PEs in the largest domain.
  int smallest = 0;              // The number of PEs in the smallest domain.
  int mine = 0;                  // The domain of this PE.
  const int* of = nullptr;       // The domain of each PE of the team.
  const int* leaders = nullptr;  // The first PE of each domain.
  // The PEs sorted by domain. Those of domain i are order[begin[i]] ... order[begin[i + 1] - 1].
  const int* order = nullptr;
  const int* begin = nullptr;
  // Ranges of consecutive PEs that are in one domain. There are as many ranges as domains if the PEs of each domain are
  // consecutive.
  int ranges = 0;
  int my_range = 0;
  const int* range_end = nullptr;  // one past the last PE of each range

  int size(int which) const { return begin[which + 1] - begin[which]; }
  int pe(int which, int index) const { return order[begin[which] + index]; }
  // The index in this PE's domain of `pe`, one of its PEs.
  int index_of(int pe) const {
    int index = 0;
    while (this->pe(mine, index) != pe) ++index;
    return index;
  }
  int leader() const { return leaders[mine]; }
  // The leader of a domain in an algorithm in which the root leads its own domain.
  int leader(int which, int root) const { return which == of[root] ? root : leaders[which]; }
  int range_begin() const { return my_range == 0 ? 0 : range_end[my_range - 1]; }
  // The domain that follows this PE's domain at distance `steps`, cyclically.
  int after_mine(int steps) const { return (mine + steps) % count; }
  // Calls visit(pe) for each PE of this PE's domain other than `except`, in the order of the team.
  template <class Visit>
  void for_others(int except, Visit visit) const {
    for (int i = begin[mine]; i < begin[mine + 1]; ++i)
      if (order[i] != except) visit(order[i]);
  }
};

// The domains of team `t`. The first call computes them, without communication, and the team keeps them.
const domains& domains_of(team& t);

// True if there are several domains, and one of them has several PEs. Otherwise a hierarchy gains nothing.
inline bool has_hierarchy(const team_shape& s) { return s.domains > 1 && s.domain > 1; }

// A team's shape does not contain the number of PEs in the smallest domain. It is at least the number of PEs that
// remain if all other domains are as large as the largest.
inline int least_domain(const team_shape& s) {
  const int left = s.n_pes - (s.domains - 1) * s.domain;
  return left > 1 ? left : 1;
}

// The shape of the group of all leaders, and of the group of PEs in one domain.
inline team_shape among_leaders(team_shape s) {
  s.n_pes = s.domains;
  s.domain = 1;
  return s;
}
inline team_shape within_domain(team_shape s) {
  s.n_pes = s.domain;
  s.spans = false;
  s.domains = 1;
  return s;
}

}  // namespace oshen::coll
