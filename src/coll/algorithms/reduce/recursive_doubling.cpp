// Recursive doubling: in round r each PE exchanges its partial result with the PE 2^r away, and both combine.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_doubling(const task& job) {
  Protocol protocol(job);
  source_to_dest(job);
  double_up(job, fold(job.members.n_pes, job.members.my_pe), protocol);
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return protocol_cost<Protocol>(s, rounds, 4 * rounds * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "recursive doubling: partners ever farther apart exchange and combine",
          .needs = "a workspace",
          .steps = "floor(log2 n), and 2 more where n is no power of two",
          .traffic = "p log2 p + 2 (n - p) messages of b bytes, p the largest power of two in n",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_doubling<Protocol>};
}

}  // namespace

constexpr algorithm doubling_put_reduce = row<put_protocol>("recursive-doubling-put");
constexpr algorithm doubling_message_reduce = row<message_protocol>("recursive-doubling-message");
constexpr algorithm doubling_pull_reduce = row<pull_protocol>("recursive-doubling-pull");

}  // namespace oshen::coll
