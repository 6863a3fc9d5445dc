// Hierarchical: the leader of each domain combines the vectors of its domain; leaders combine among themselves by
// recursive doubling; then each leader hands the result to its domain.
#include "coll/choosing/domain.hpp"
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_leader(const task& job, const domain& d, Protocol& protocol) {
  source_to_dest(job);
  for (int pe = d.first + 1; pe < d.end; ++pe) protocol.take(pe, job.source, job.dest, job.elements);
  double_up(job, fold(d.count, d.mine, d.size), protocol);
  protocol.expose();
  for (int pe = d.first + 1; pe < d.end; ++pe) protocol.deposit(pe, job.dest, job.dest, job.bytes());
}

template <class Protocol>
void run_hierarchical(const task& job) {
  const domain d(job.members);
  Protocol protocol(job);
  if (job.members.my_pe == d.first) {
    run_leader(job, d, protocol);
  } else {
    protocol.expose();
    protocol.give(d.first, job.source, job.elements);
    protocol.accept(d.first, job.dest, job.dest, job.bytes());
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const double rounds = ceil_log2(static_cast<unsigned>(domains_of(s)));
  return protocol_cost<Protocol>(s, rounds + s.domain, 4 * (rounds + s.domain) * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "leaders combine their domains, then recursive doubling among leaders, and back",
          .needs = "a workspace; OSHEN_COLL_DOMAIN",
          .steps = "m + floor(log2 d) with d domains of m PEs, and 2 more where d is no power of two",
          .traffic = "2 (n - d) messages, and those of recursive doubling with d PEs; each b bytes",
          .paper = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize collective "
                   "operation "
                   "performance, IPDPS 2000, doi:10.1109/IPDPS.2000.846009",
          .cost = cost<Protocol>,
          .run = run_hierarchical<Protocol>};
}

}  // namespace

constexpr algorithm hierarchical_put_reduce = row<put_protocol>("hierarchical-put");
constexpr algorithm hierarchical_message_reduce = row<message_protocol>("hierarchical-message");
constexpr algorithm hierarchical_pull_reduce = row<pull_protocol>("hierarchical-pull");

}  // namespace oshen::coll
