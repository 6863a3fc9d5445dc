// Hierarchical: the leader of each domain combines the vectors of its domain. Leaders combine their results by
// recursive doubling. Then each leader sends the result to its domain.
//
// Short vectors wait in the flag slots of their PEs, so that all PEs of a domain post at the same time. Longer ones
// pass through the leader's bounce buffer, which it grants to one PE after the other.
#include "coll/algorithms/reduce/schedule.hpp"
#include "coll/algorithms/schedule.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {
namespace {

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 4) +
         protocol_cost<put_protocol>(within_domain(s), s.domain, 4 * s.domain);
}

bool is_posted(const collective_call& call) { return call.bytes() <= long_payload_bytes; }

// The leader is the first PE of its domain, so that its own operand is the first one.
void lead(const collective_call& call, const domains& d, put_protocol& protocol) {
  source_to_dest(call);
  d.for_others(d.leader(), [&](int pe) {
    if (is_posted(call))
      call.combine(call.dest, await_payload(call, pe, call.bytes()), call.elements);
    else
      protocol.take(pe, call.source, call.dest, call.elements);
  });
  double_up(call, fold(d.count, d.mine, d.leaders), protocol);
  d.for_others(d.leader(), [&](int pe) { protocol.deposit(pe, call.dest, call.dest, call.bytes()); });
}

void run(const collective_call& call, put_protocol& protocol) {
  const domains& d = domains_of(call.members);
  if (call.members.my_pe == d.leader()) return lead(call, d, protocol);
  if (is_posted(call))
    post_to(call.members, d.leader(), call.source, call.bytes());
  else
    protocol.give(d.leader(), call.source, call.elements);
  protocol.accept(d.leader(), call.dest, call.dest, call.bytes());
}

}  // namespace

constexpr algorithm hierarchical_put_reduce = domain_algorithm<run, cost>(
    kind::reduce,
    {.about = "leaders combine their domains, use recursive doubling, and send the result to their domains",
     .steps = "2 + floor(log2 d), and 2 more if d is not a power of two; m more for vectors above 2 KiB",
     .traffic = "2 (n - d) messages, and those of recursive doubling by d PEs between nodes; b bytes in each"});

}  // namespace oshen::coll
