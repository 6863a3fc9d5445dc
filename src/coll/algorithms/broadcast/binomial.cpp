// A binomial tree: in each round every PE that has the message passes it on, so that twice as many have it.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_binomial(const task& job) {
  const places at(job);
  Protocol protocol(job);
  int round = 0;  // in which this PE hears
  while (1 << round < at.n && (at.mine >> round & 1) == 0) ++round;
  if (at.mine != 0) protocol.receive(at.pe_at(at.mine - (1 << round)), round, job.dest, job.bytes());
  while (--round >= 0)
    if (at.mine + (1 << round) < at.n)
      protocol.send(at.pe_at(at.mine + (1 << round)), round, held(job), job.dest, job.bytes());
  fill_root(job);
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return protocol_cost<Protocol>(s, rounds, rounds * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::broadcast,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "binomial tree: whoever has the message passes it on",
          .needs = "a workspace",
          .steps = "ceil(log2 n)",
          .traffic = "n - 1 messages; (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_binomial<Protocol>};
}

}  // namespace

constexpr algorithm binomial_put_broadcast = row<put_protocol>("binomial-put");
constexpr algorithm binomial_message_broadcast = row<message_protocol>("binomial-message");
constexpr algorithm binomial_pull_broadcast = row<pull_protocol>("binomial-pull");

}  // namespace oshen::coll
