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

template <class Protocol>
struct doubling {
  static constexpr schedule_words words{
      .name = "recursive-doubling", .about = "recursive doubling: two PEs exchange all that they have",
      .steps = "floor(log2 n), and 2 more where n is no power of two",
      .traffic = "p log2 p + 2 (n - p) messages; n (p - 1) b + (n - p) (n + 1) b, p the largest power of two in n",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    const double depth = rounds(s);
    const bool power = std::has_single_bit(static_cast<unsigned>(s.n_pes));
    return all_pairs_cost<Protocol>(s, power ? depth : depth + 1, power ? 1 : 2);
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const blocks all = blocks::of(job);
    const fold f(t.n_pes, t.my_pe);
    all.fill_own(job);
    if (f.place < 0) {
      all.send(protocol, f.other(), fold_step, t.my_pe, 1);
      all.receive(protocol, f.other(), unfold_step, 0, t.n_pes);
    } else {
      if (f.folded()) all.receive(protocol, f.other(), fold_step, f.other(), 1);
      for (int round = 0; 1 << round < f.power; ++round) exchange(all, f, protocol, round);
      if (f.folded()) all.send(protocol, f.other(), unfold_step, 0, t.n_pes);
    }
  }
};

}  // namespace

constexpr protocol_rows doubling_fcollect = rows_of<doubling>(kind::fcollect);
constexpr protocol_rows doubling_collect = rows_of<doubling>(kind::collect);

}  // namespace oshen::coll
