// Hierarchical: leaders combine their domains; a binomial tree combines the leaders towards the root, which leads its
// own domain. Only the root's dest is touched: the other leaders combine in private memory.
#include "coll/algorithms/binomial_tree.hpp"
#include "coll/algorithms/domain_rows.hpp"

namespace oshen::coll {
namespace {

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 2) +
         protocol_cost<put_protocol>(within_domain(s), s.domain - 1, 2 * (s.domain - 1));
}

void run(const task& job, put_protocol& protocol) {
  team& t = job.members;
  const domains& d = domains_of(t);
  const int leader = d.leader(d.mine, job.root);
  if (t.my_pe != leader) return protocol.give(leader, job.source, job.elements);
  char* const sum = leader == job.root ? job.dest : scratch_of(t, job.bytes(), job.routine);
  if (sum != job.source) memmove(sum, job.source, job.bytes());
  d.for_others(leader, [&](int pe) { protocol.take(pe, job.source, sum, job.elements); });
  combine_up(job, places(job, d), sum, protocol);
}

}  // namespace

constexpr algorithm hierarchical_put_reduce_to_root = domain_row<run, cost>(
    kind::reduce_to_root, {.about = "leaders combine their domains, then a binomial tree of leaders to the root",
                           .steps = "m + ceil(log2 d) with d domains of m PEs",
                           .traffic = "n - 1 messages; (n - 1) b; d - 1 of them between nodes"});

}  // namespace oshen::coll
