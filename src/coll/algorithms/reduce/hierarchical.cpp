// Hierarchical: the leader of each domain combines the vectors of its domain; leaders combine among themselves by
// recursive doubling; then each leader hands the result to its domain.
#include "coll/choosing/domain.hpp"
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_leader(const task& job, const domains& d, Protocol& protocol) {
  source_to_dest(job);
  for (int i = 1; i < d.size(d.mine); ++i) protocol.take(d.pe(d.mine, i), job.source, job.dest, job.elements);
  double_up(job, fold(d.count, d.mine, d.leaders), protocol);
  protocol.expose();
  for (int i = 1; i < d.size(d.mine); ++i) protocol.deposit(d.pe(d.mine, i), job.dest, job.dest, job.bytes());
}

template <class Protocol>
struct hierarchical {
  static constexpr schedule_words words = over_domains(
      {.about = "leaders combine their domains, then recursive doubling among leaders, and back",
       .steps = "m + floor(log2 d) with d domains of m PEs, and 2 more where d is no power of two",
       .traffic = "2 (n - d) messages, and those of recursive doubling with d PEs, between nodes; each b bytes"});

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    return logarithmic_cost<Protocol>(among_leaders(s), s.spans ? 1 : 4) +
           protocol_cost<Protocol>(within_domain(s), s.domain, 4 * s.domain);
  }

  static void run(const task& job, Protocol& protocol) {
    const domains& d = domains_of(job.members);
    if (job.members.my_pe == d.leader()) {
      run_leader(job, d, protocol);
    } else {
      protocol.expose();
      protocol.give(d.leader(), job.source, job.elements);
      protocol.accept(d.leader(), job.dest, job.dest, job.bytes());
    }
  }
};

}  // namespace

constexpr algorithm hierarchical_put_reduce = row_of<hierarchical, put_protocol>(kind::reduce);

}  // namespace oshen::coll
