// A binomial tree combines towards PE 0; the result comes back the same way.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int down = 14;  // of the cells: those below are for the way up

template <class Protocol>
void run_tree(const task& job) {
  const team& t = job.members;
  Protocol protocol(job);
  source_to_dest(job);
  int round = 0;  // in which this PE gives its result away
  for (; 1 << round < t.n_pes && (t.my_pe >> round & 1) == 0; ++round)
    if (t.my_pe + (1 << round) < t.n_pes)
      protocol.pass(-1, t.my_pe + (1 << round), round, nullptr, 0, job.dest, job.elements);
  if (t.my_pe != 0) {
    const int parent = t.my_pe - (1 << round);
    protocol.pass(parent, -1, round, job.dest, job.elements, nullptr, 0);
    protocol.receive(parent, down + round, job.dest, job.bytes());
  }
  while (--round >= 0)
    if (t.my_pe + (1 << round) < t.n_pes)
      protocol.send(t.my_pe + (1 << round), down + round, job.dest, job.dest, job.bytes());
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return protocol_cost<Protocol>(s, 2 * rounds, 4 * rounds * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "binomial tree to PE 0 and back",
          .needs = "a workspace",
          .steps = "2 ceil(log2 n)",
          .traffic = "2 (n - 1) messages; 2 (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_tree<Protocol>};
}

}  // namespace

constexpr algorithm tree_put_reduce = row<put_protocol>("tree-put");
constexpr algorithm tree_message_reduce = row<message_protocol>("tree-message");
constexpr algorithm tree_pull_reduce = row<pull_protocol>("tree-pull");

}  // namespace oshen::coll
