// Recursive doubling: in each round two PEs exchange all that they have, so that both have twice as much. Where the
// team is no power of two some PEs fold into their neighbours, and get everything from them at the end.
#include "coll/algorithms/collect/schedule.hpp"
#include "coll/protocol/fold.hpp"

namespace oshen::coll {
namespace {

// The blocks that `width` places from `first` on have together.
template <class Protocol>
void exchange(const blocks& all, const fold& f, Protocol& protocol, int round) {
  const int width = 1 << round;
  const int partner = f.place ^ width;
  const int mine = f.place & -width;
  const int theirs = partner & -width;
  const auto count = [&](int first) { return f.first_pe(first + width) - f.first_pe(first); };
  all.send(protocol, f.pe_at(partner), round, f.first_pe(mine), count(mine));
  all.receive(protocol, f.pe_at(partner), round, f.first_pe(theirs), count(theirs));
}

template <class Protocol, kind k>
void run_doubling(const task& job) {
  const team& t = job.members;
  const blocks all = blocks::of<k>(job);
  const fold f(t.n_pes, t.my_pe);
  Protocol protocol(job);
  all.fill_own(job);
  if (f.place < 0) {
    all.send(protocol, f.other(), fold_step, t.my_pe, 1);
    all.receive(protocol, f.other(), unfold_step, 0, t.n_pes);
  } else {
    if (f.folded()) all.receive(protocol, f.other(), fold_step, f.other(), 1);
    for (int round = 0; 1 << round < f.power; ++round) exchange(all, f, protocol, round);
    if (f.folded()) all.send(protocol, f.other(), unfold_step, 0, t.n_pes);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  const bool power = std::has_single_bit(static_cast<unsigned>(s.n_pes));
  return collect_cost<Protocol>(s, power ? rounds : rounds + 1, power ? 1 : 2);
}

template <class Protocol, kind k>
constexpr algorithm row(const char* name) {
  return {.collective = k,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "recursive doubling: two PEs exchange all that they have",
          .needs = "a workspace",
          .steps = "floor(log2 n), and 2 more where n is no power of two",
          .traffic = "p log2 p + 2 (n - p) messages; n (p - 1) b + (n - p) (n + 1) b, p the largest power of two in n",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_doubling<Protocol, k>};
}

}  // namespace

constexpr algorithm doubling_put_fcollect = row<put_protocol, kind::fcollect>("recursive-doubling-put");
constexpr algorithm doubling_message_fcollect = row<message_protocol, kind::fcollect>("recursive-doubling-message");
constexpr algorithm doubling_pull_fcollect = row<pull_protocol, kind::fcollect>("recursive-doubling-pull");
constexpr algorithm doubling_put_collect = row<put_protocol, kind::collect>("recursive-doubling-put");
constexpr algorithm doubling_message_collect = row<message_protocol, kind::collect>("recursive-doubling-message");
constexpr algorithm doubling_pull_collect = row<pull_protocol, kind::collect>("recursive-doubling-pull");

}  // namespace oshen::coll
