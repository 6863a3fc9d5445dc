// Domains: PEs of a team that are near to each other, led by the first of them. Hierarchical algorithms talk within
// domains first, then among leaders.
//
// Of a team that spans nodes the PEs of a node are a domain, wherever they stand in the team and however many they are.
// On one node there is nothing nearer than the node, so a team is one domain unless OSHEN_COLL_DOMAIN says how many
// consecutive PEs make one. All PEs of a team come to the same domains: they know the nodes of all.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

// Domains are numbered by their leaders, in the order of the team; so are the PEs of a domain.
struct domains {
  int count = 0;                 // how many there are
  int largest = 0;               // PEs of the largest
  int smallest = 0;              // and of the smallest
  int mine = 0;                  // the one of this PE
  const int* of = nullptr;       // of each PE of the team
  const int* leaders = nullptr;  // of each domain: its first PE
  const int* order = nullptr;    // PEs by domain: those of domain i are order[begin[i]] ... order[begin[i + 1] - 1]
  const int* begin = nullptr;
  // Stretches of the team whose PEs follow one another and are of one domain: as many as domains, where PEs of a domain
  // stand together.
  int ranges = 0;
  int my_range = 0;
  const int* range_end = nullptr;  // one behind its last PE

  int size(int which) const { return begin[which + 1] - begin[which]; }
  int pe(int which, int place) const { return order[begin[which] + place]; }
  int leader() const { return leaders[mine]; }
  // Where a root leads its own domain.
  int leader(int which, int root) const { return which == of[root] ? root : leaders[which]; }
  int range_begin() const { return my_range == 0 ? 0 : range_end[my_range - 1]; }
  // The domain so many after this PE's, round the team.
  int after_mine(int steps) const { return (mine + steps) % count; }
  // Calls visit(pe) for the PEs of this PE's domain but `except`, in the order of the team.
  template <class Visit>
  void for_others(int except, Visit visit) const {
    for (int i = begin[mine]; i < begin[mine + 1]; ++i)
      if (order[i] != except) visit(order[i]);
  }
};

// Of team `t`; worked out when first needed, and kept. Local.
const domains& domains_of(team& t);

// More than one domain, and more than leaders: otherwise a hierarchy has nothing to gain.
inline bool has_hierarchy(const team_shape& s) { return s.domains > 1 && s.domain > 1; }

// The situation of the leaders among themselves, and of the PEs of a domain among themselves.
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
