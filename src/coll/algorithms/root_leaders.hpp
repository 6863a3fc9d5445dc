// Schedules with a root on two levels: the root leads its own domain, and speaks with the leaders of the others.
#pragma once

#include "coll/algorithms/domain_rows.hpp"
#include "coll/algorithms/root_blocks.hpp"

namespace oshen::coll {

class root_leaders {
 public:
  root_leaders(const task& job, const block_table& table)
      : job_(job), t_(job.members), d_(domains_of(job.members)), cells_(job), blocks_(job, table) {}

 protected:
  int leader() const { return d_.leader(d_.mine, job_.root); }
  bool is_root() const { return t_.my_pe == job_.root; }
  int size() const { return d_.size(d_.mine); }
  char* bounce() const { return reinterpret_cast<char*>(t_.own_workspace().bounce); }

  // Before the root sends to leaders what does not fit into a cell: their bounce buffers are free once they are here.
  void open_bounce_buffers() const {
    if (is_root()) cells_.await_deposits(static_cast<std::uint64_t>(d_.count - 1));
    else cells_.add_deposit(job_.root);
  }
  // The root: calls serve(domain) for all other domains, from the next one on.
  template <class Serve>
  void for_other_domains(Serve serve) const {
    for (int step = 1; step < d_.count; ++step) serve(d_.after_mine(step));
  }

  const task& job_;
  team& t_;
  const domains& d_;
  cells cells_;
  root_blocks blocks_;
};

// The root hears or serves all leaders at once; in each domain the leader takes or hands out the blocks. Between nodes
// so many steps and messages for each leader.
inline double root_leaders_cost(const setting& s, double rounds, double messages) {
  if (!has_hierarchy(s)) return impossible;
  setting leaders = among_leaders(s);
  leaders.bytes *= static_cast<std::size_t>(s.domain);
  const setting near = within_domain(s);
  return root_at_once_cost<put_protocol>(leaders, rounds, messages) + steps(near, 2) + lines(near, near.n_pes) +
         copies_alone(near, static_cast<double>(leaders.bytes));
}

}  // namespace oshen::coll
