// Recursive doubling: in round r each PE exchanges its partial result with the PE 2^r away, and both combine.
#include "coll/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_doubling(const task& job) {
  Wire wire(job);
  source_to_dest(job);
  double_up(job, fold(job.members.n_pes, job.members.my_pe), wire);
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return wire_cost<Wire>(s, rounds, 4 * rounds * static_cast<double>(s.bytes));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Wire::how,
          .about = "recursive doubling: partners ever farther apart exchange and combine",
          .needs = "a room",
          .steps = "floor(log2 n), and 2 more where n is no power of two",
          .traffic = "p log2 p + 2 (n - p) messages of b bytes, p the largest power of two in n",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Wire>,
          .run = run_doubling<Wire>};
}

}  // namespace

constexpr algorithm doubling_put_reduce = row<put_wire>("recursive-doubling-put");
constexpr algorithm doubling_message_reduce = row<message_wire>("recursive-doubling-message");
constexpr algorithm doubling_pull_reduce = row<pull_wire>("recursive-doubling-pull");

}  // namespace oshen::coll
