// Hierarchical: the leader of each domain combines the vectors of its domain. Leaders combine their results by
// recursive doubling. Then each leader sends the result to its domain.
#include "coll/algorithms/reduce/schedule.hpp"
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 4) +
         protocol_cost<put_protocol>(within_domain(s), s.domain, 4 * s.domain);
}

void lead(const collective_call& call, const domains& d, put_protocol& protocol) {
  source_to_dest(call);
  d.for_others(d.leader(), [&](int pe) { protocol.take(pe, call.source, call.dest, call.elements); });
  double_up(call, fold(d.count, d.mine, d.leaders), protocol);
  d.for_others(d.leader(), [&](int pe) { protocol.deposit(pe, call.dest, call.dest, call.bytes()); });
}

void run(const collective_call& call, put_protocol& protocol) {
  const domains& d = domains_of(call.members);
  if (call.members.my_pe == d.leader()) return lead(call, d, protocol);
  protocol.give(d.leader(), call.source, call.elements);
  protocol.accept(d.leader(), call.dest, call.dest, call.bytes());
}

}  // namespace

constexpr algorithm hierarchical_put_reduce = domain_algorithm<run, cost>(
    kind::reduce,
    {.about = "leaders combine their domains, use recursive doubling, and send the result to their domains",
     .steps = "m + floor(log2 d), and 2 more if d is not a power of two",
     .traffic = "2 (n - d) messages, and those of recursive doubling by d PEs between nodes; b bytes in each"});

}  // namespace oshen::coll
