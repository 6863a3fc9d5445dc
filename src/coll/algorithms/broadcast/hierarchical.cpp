// Hierarchical: a binomial tree among the leaders of the domains, where the root leads its own; then each leader
// serves its domain.
#include "coll/choosing/domain.hpp"
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void tree_of_leaders(const task& job, const domains& d, Protocol& protocol) {
  const int home = d.of[job.root];
  const auto leader_at = [&](int place) { return d.leader((place + home) % d.count, job.root); };
  const int place = (d.mine - home + d.count) % d.count;
  int round = 0;
  while (1 << round < d.count && (place >> round & 1) == 0) ++round;
  if (place != 0) protocol.receive(leader_at(place - (1 << round)), round, job.dest, job.bytes());
  const char* from = place == 0 ? job.source : job.dest;
  while (--round >= 0)
    if (place + (1 << round) < d.count)
      protocol.send(leader_at(place + (1 << round)), round, from, job.dest, job.bytes());
}

template <class Protocol>
struct hierarchical {
  static constexpr schedule_words words{
      .name = "hierarchical",
      .about = "binomial tree among the leaders of domains, then each leader serves its domain",
      .needs = "a workspace; domains: nodes, or OSHEN_COLL_DOMAIN",
      .steps = "ceil(log2 d) + 1 with d domains",
      .traffic = "n - 1 messages; (n - 1) b; d - 1 of them between nodes",
      .paper = paper::karonis};

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    const auto bytes = static_cast<double>(s.bytes);
    const setting leaders = among_leaders(s);
    return protocol_cost<Protocol>(leaders, rounds(leaders), rounds(leaders) * bytes) +
           protocol_cost<Protocol>(within_domain(s), 1, (s.domain - 1) * bytes);
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const domains& d = domains_of(job.members);
    const bool with_root = d.mine == d.of[job.root];
    const int leader = d.leader(d.mine, job.root);
    const char* from = with_root ? job.source : job.dest;  // at the leader
    if (t.my_pe == leader) {
      tree_of_leaders(job, d, protocol);
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
