// Hierarchical: a binomial tree among the leaders of the domains, where the root leads its own. Then each leader sends
// to its domain.
#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {
namespace {

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s)) +
         protocol_cost<put_protocol>(within_domain(s), 1, s.domain - 1);
}

void run(const collective_call& call, put_protocol& protocol) {
  const team& t = call.members;
  const domains& d = domains_of(call.members);
  const bool with_root = d.mine == d.of[call.root];
  const int leader = d.leader(d.mine, call.root);
  if (t.my_pe != leader) return protocol.accept(leader, nullptr, call.dest, call.bytes());
  const char* from = with_root ? call.source : call.dest;
  send_down(call, virtual_ranks(call, d), from, protocol);
  d.for_others(leader, [&](int pe) { protocol.deposit(pe, from, call.dest, call.bytes()); });
  if (with_root && !call.root_keeps_dest) memmove(call.dest, call.source, call.bytes());
}

}  // namespace

constexpr algorithm hierarchical_put_broadcast = domain_algorithm<run, cost>(
    kind::broadcast, {.about = "leaders use a binomial tree, then each leader sends to its domain",
                      .steps = "ceil(log2 d) + 1",
                      .traffic = "n - 1 messages, d - 1 of them between nodes; (n - 1) b bytes"});

}  // namespace oshen::coll
