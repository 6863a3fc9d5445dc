// Hierarchical: the leader of each domain combines the vectors of its domain; leaders combine among themselves by
// recursive doubling; then each leader hands the result to its domain.
#include "coll/domain.hpp"
#include "coll/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_leader(const task& job, const domain& d, Wire& wire) {
  source_to_dest(job);
  for (int pe = d.first + 1; pe < d.end; ++pe) wire.take(pe, job.source, job.dest, job.elements);
  double_up(job, fold(d.count, d.mine, d.size), wire);
  wire.announce();
  for (int pe = d.first + 1; pe < d.end; ++pe) wire.deposit(pe, job.dest, job.dest, job.bytes());
}

template <class Wire>
void run_hierarchical(const task& job) {
  const domain d(job.members);
  Wire wire(job);
  if (job.members.my_pe == d.first) {
    run_leader(job, d, wire);
  } else {
    wire.announce();
    wire.give(d.first, job.source, job.elements);
    wire.accept(d.first, job.dest, job.dest, job.bytes());
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const double rounds = ceil_log2(static_cast<unsigned>(domains_of(s)));
  return wire_cost<Wire>(s, rounds + s.domain, 4 * (rounds + s.domain) * static_cast<double>(s.bytes));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Wire::how,
          .about = "leaders combine their domains, then recursive doubling among leaders, and back",
          .needs = "a room; OSHEN_COLL_DOMAIN",
          .steps = "m + floor(log2 d) with d domains of m PEs, and 2 more where d is no power of two",
          .traffic = "2 (n - d) messages, and those of recursive doubling with d PEs; each b bytes",
          .paper = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize collective operation "
                   "performance, IPDPS 2000, doi:10.1109/IPDPS.2000.846009",
          .cost = cost<Wire>,
          .run = run_hierarchical<Wire>};
}

}  // namespace

constexpr algorithm hierarchical_put_reduce = row<put_wire>("hierarchical-put");
constexpr algorithm hierarchical_message_reduce = row<message_wire>("hierarchical-message");
constexpr algorithm hierarchical_pull_reduce = row<pull_wire>("hierarchical-pull");

}  // namespace oshen::coll
