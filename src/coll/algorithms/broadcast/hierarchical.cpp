// Hierarchical: a binomial tree among the leaders of the domains, where the root leads its own; then each leader
// serves its domain.
#include "coll/algorithms/binomial_tree.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct hierarchical {
  static constexpr schedule_words words =
      over_domains({.about = "binomial tree among the leaders of domains, then each leader serves its domain",
                    .steps = "ceil(log2 d) + 1 with d domains",
                    .traffic = "n - 1 messages; (n - 1) b; d - 1 of them between nodes"});

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    return logarithmic_cost<Protocol>(among_leaders(s)) +
           protocol_cost<Protocol>(within_domain(s), 1, s.domain - 1);
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const domains& d = domains_of(job.members);
    const bool with_root = d.mine == d.of[job.root];
    const int leader = d.leader(d.mine, job.root);
    const char* from = with_root ? job.source : job.dest;  // at the leader
    if (t.my_pe == leader) {
      send_down(job, places(job, d), from, protocol);
      protocol.expose();
      for (int i = 0; i < d.size(d.mine); ++i)
        if (const int pe = d.pe(d.mine, i); pe != leader) protocol.deposit(pe, from, job.dest, job.bytes());
      if (with_root && !job.root_keeps_dest) memmove(job.dest, job.source, job.bytes());
    } else {
      protocol.expose();
      protocol.accept(leader, from, job.dest, job.bytes());
    }
  }
};

}  // namespace

constexpr algorithm hierarchical_put_broadcast = row_of<hierarchical, put_protocol>(kind::broadcast);

}  // namespace oshen::coll
