// Hierarchical: leaders combine their domains; a binomial tree combines the leaders towards the root, which leads its
// own domain. Only the root's dest is touched: the other leaders combine in private memory.
#include "coll/algorithms/rows.hpp"
#include "coll/choosing/domain.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void combine_leaders(const task& job, const domains& d, char* sum, Protocol& protocol) {
  const int home = d.of[job.root], place = (d.mine - home + d.count) % d.count;
  const auto leader_at = [&](int at) { return d.leader((at + home) % d.count, job.root); };
  int round = 0;
  for (; 1 << round < d.count && (place >> round & 1) == 0; ++round)
    if (place + (1 << round) < d.count)
      protocol.pass(-1, leader_at(place + (1 << round)), round, nullptr, 0, sum, job.elements);
  if (place != 0) protocol.pass(leader_at(place - (1 << round)), -1, round, sum, job.elements, nullptr, 0);
}

template <class Protocol>
struct hierarchical {
  static constexpr schedule_words words{
      .name = "hierarchical",
      .about = "leaders combine their domains, then a binomial tree of leaders to the root",
      .needs = "a workspace; domains: nodes, or OSHEN_COLL_DOMAIN",
      .steps = "m + ceil(log2 d) with d domains of m PEs",
      .traffic = "n - 1 messages; (n - 1) b; d - 1 of them between nodes",
      .paper = paper::karonis};

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    const auto bytes = static_cast<double>(s.bytes);
    const setting leaders = among_leaders(s);
    return protocol_cost<Protocol>(leaders, rounds(leaders), (s.spans ? 1 : 2) * rounds(leaders) * bytes) +
           protocol_cost<Protocol>(within_domain(s), s.domain - 1, 2 * (s.domain - 1) * bytes);
  }

  static void run(const task& job, Protocol& protocol) {
    team& t = job.members;
    const domains& d = domains_of(t);
    const int leader = d.leader(d.mine, job.root);
    if (t.my_pe != leader) return protocol.give(leader, job.source, job.elements);
    char* const sum = leader == job.root ? job.dest : scratch_of(t, job.bytes(), job.routine);
    if (sum != job.source) memmove(sum, job.source, job.bytes());
    for (int i = 0; i < d.size(d.mine); ++i)
      if (const int pe = d.pe(d.mine, i); pe != leader) protocol.take(pe, job.source, sum, job.elements);
    combine_leaders(job, d, sum, protocol);
  }
};

}  // namespace

constexpr algorithm hierarchical_put_reduce_to_root = row_of<hierarchical, put_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
