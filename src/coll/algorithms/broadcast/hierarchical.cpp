// Hierarchical: a binomial tree among the leaders of the domains, where the root leads its own; then each leader
// serves its domain.
#include "coll/algorithms/binomial_tree.hpp"
#include "coll/algorithms/domain_rows.hpp"

namespace oshen::coll {
namespace {

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  return logarithmic_cost<put_protocol>(among_leaders(s)) +
         protocol_cost<put_protocol>(within_domain(s), 1, s.domain - 1);
}

void run(const task& job, put_protocol& protocol) {
  const team& t = job.members;
  const domains& d = domains_of(job.members);
  const bool with_root = d.mine == d.of[job.root];
  const int leader = d.leader(d.mine, job.root);
  if (t.my_pe != leader) return protocol.accept(leader, nullptr, job.dest, job.bytes());
  const char* from = with_root ? job.source : job.dest;
  send_down(job, places(job, d), from, protocol);
  d.for_others(leader, [&](int pe) { protocol.deposit(pe, from, job.dest, job.bytes()); });
  if (with_root && !job.root_keeps_dest) memmove(job.dest, job.source, job.bytes());
}

}  // namespace

constexpr algorithm hierarchical_put_broadcast = domain_row<run, cost>(
    kind::broadcast, {.about = "binomial tree among the leaders of domains, then each leader serves its domain",
                      .steps = "ceil(log2 d) + 1 with d domains",
                      .traffic = "n - 1 messages; (n - 1) b; d - 1 of them between nodes"});

}  // namespace oshen::coll
