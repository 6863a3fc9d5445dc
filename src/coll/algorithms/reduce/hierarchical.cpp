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
struct hierarchical {
  static constexpr schedule_words words{
      .name = "hierarchical",
      .about = "leaders combine their domains, then recursive doubling among leaders, and back",
      .needs = "a workspace; OSHEN_COLL_DOMAIN",
      .steps = "m + floor(log2 d) with d domains of m PEs, and 2 more where d is no power of two",
      .traffic = "2 (n - d) messages, and those of recursive doubling with d PEs; each b bytes",
      .paper = paper::karonis};

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    const double rounds = ceil_log2(static_cast<unsigned>(domains_of(s)));
    return protocol_cost<Protocol>(s, rounds + s.domain, 4 * (rounds + s.domain) * static_cast<double>(s.bytes));
  }

  static void run(const task& job, Protocol& protocol) {
    const domain d(job.members);
    if (job.members.my_pe == d.first) {
      run_leader(job, d, protocol);
    } else {
      protocol.expose();
      protocol.give(d.first, job.source, job.elements);
      protocol.accept(d.first, job.dest, job.dest, job.bytes());
    }
  }
};

}  // namespace

constexpr algorithm hierarchical_put_reduce = row_of<hierarchical, put_protocol>(kind::reduce);

}  // namespace oshen::coll
