// Hierarchical: the leader of each domain combines the vectors of its domain; leaders combine among themselves by
// recursive doubling; then each leader hands the result to its domain.
#include "coll/algorithms/domain_rows.hpp"
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 4) +
         protocol_cost<put_protocol>(within_domain(s), s.domain, 4 * s.domain);
}

void lead(const task& job, const domains& d, put_protocol& protocol) {
  source_to_dest(job);
  d.for_others(d.leader(), [&](int pe) { protocol.take(pe, job.source, job.dest, job.elements); });
  double_up(job, fold(d.count, d.mine, d.leaders), protocol);
  d.for_others(d.leader(), [&](int pe) { protocol.deposit(pe, job.dest, job.dest, job.bytes()); });
}

void run(const task& job, put_protocol& protocol) {
  const domains& d = domains_of(job.members);
  if (job.members.my_pe == d.leader()) return lead(job, d, protocol);
  protocol.give(d.leader(), job.source, job.elements);
  protocol.accept(d.leader(), job.dest, job.dest, job.bytes());
}

}  // namespace

constexpr algorithm hierarchical_put_reduce = domain_row<run, cost>(
    kind::reduce,
    {.about = "leaders combine their domains, then recursive doubling among leaders, and back",
     .steps = "m + floor(log2 d) with d domains of m PEs, and 2 more where d is no power of two",
     .traffic = "2 (n - d) messages, and those of recursive doubling with d PEs, between nodes; each b bytes"});

}  // namespace oshen::coll
