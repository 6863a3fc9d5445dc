// Hierarchical: leaders combine the vectors of their domains, and a binomial tree combines the results of the leaders
// towards the root, which leads its own domain. Only the root's dest is written: other leaders combine in private
// memory.
#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {
namespace {

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 2) +
         protocol_cost<put_protocol>(within_domain(s), s.domain - 1, 2 * (s.domain - 1));
}

void run(const collective_call& call, put_protocol& protocol) {
  team& t = call.members;
  const domains& d = domains_of(t);
  const int leader = d.leader(d.mine, call.root);
  if (t.my_pe != leader) return protocol.give(leader, call.source, call.elements);
  char* const sum = leader == call.root ? call.dest : scratch_of(t, call.bytes(), call.routine);
  if (sum != call.source) memmove(sum, call.source, call.bytes());
  d.for_others(leader, [&](int pe) { protocol.take(pe, call.source, sum, call.elements); });
  combine_up(call, virtual_ranks(call, d), sum, protocol);
}

}  // namespace

constexpr algorithm hierarchical_put_reduce_to_root = domain_algorithm<run, cost>(
    kind::reduce_to_root,
    {.about = "leaders combine their domains, and a binomial tree of leaders combines the results",
     .steps = "m + ceil(log2 d)",
     .traffic = "n - 1 messages, d - 1 of them between nodes; (n - 1) b bytes"});

}  // namespace oshen::coll
