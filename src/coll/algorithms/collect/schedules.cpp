// Schedules of collect and fcollect, each over the protocols of coll/protocol.
#include "coll/algorithms/collect/blocks.hpp"
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {

// ---- linear -------------------------------------------------------------------------------------------------
//
// Every PE gives its block to every other, all at once.

namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text = linear_text<Protocol>(
      "every PE gives its block to every other", "n flags and a sync; n (n - 1) b", "n (n - 1) messages; n (n - 1) b");

  static double cost(const team_shape& s) { return all_at_once_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    team& t = call.members;
    const blocks all = blocks::of(call);
    protocol.expose();
    char* own = all.place(t.my_pe);
    if (call.elements != 0)
      for (const int pe : others(t)) protocol.deposit(pe, call.source, own, call.bytes());
    all.fill_own(call);
    for (const int pe : others_backwards(t))
      if (all.bytes(pe, 1) != 0) protocol.accept(pe, all.source(call, pe), all.place(pe), all.bytes(pe, 1));
  }
};

}  // namespace

constexpr protocol_variants linear_fcollect = variants_of<linear>(kind::fcollect);
constexpr protocol_variants linear_collect = variants_of<linear>(kind::collect);

// ---- ring ---------------------------------------------------------------------------------------------------
//
// Blocks go round: in each step a PE hands on to the next PE what it was given in the step before.

namespace {

template <class Protocol>
struct ring {
  static constexpr schedule_text text{.name = "ring",
                                      .about = "blocks go round the team",
                                      .steps = "n - 1",
                                      .traffic = "n (n - 1) messages; n (n - 1) b",
                                      .paper = paper::thakur};

  static double cost(const team_shape& s) { return all_pairs_cost<Protocol>(s, s.n_pes - 1); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const blocks all = blocks::of(call);
    all.fill_own(call);
    const int next = after(t, 1);
    const int before = after(t, t.n_pes - 1);
    for (int i = 0; i < t.n_pes - 1; ++i) {
      all.send(protocol, next, 0, after(t, (t.n_pes - i) % t.n_pes), 1);
      all.receive(protocol, before, 0, after(t, t.n_pes - 1 - i), 1);
    }
  }
};

}  // namespace

constexpr protocol_variants ring_fcollect = variants_of<ring>(kind::fcollect);
constexpr protocol_variants ring_collect = variants_of<ring>(kind::collect);

// ---- bruck --------------------------------------------------------------------------------------------------
//
// Bruck: in each round a PE gives all that it has to a PE as far down the team, and so has twice as much after it,
// whatever the number of PEs. Blocks go straight to their places in dest, so that nothing has to be turned at the end:
// what goes round the end of the team takes two messages.

namespace {

template <class Protocol>
struct bruck {
  static constexpr schedule_text text{.name = "bruck",
                                      .about = "Bruck: what a PE has doubles in each round, for any number of PEs",
                                      .steps = "ceil(log2 n), of one or two messages each",
                                      .traffic = "fewer than n (ceil(log2 n) + 1) messages; n (n - 1) b",
                                      .paper = paper::bruck};

  static double cost(const team_shape& s) { return all_pairs_cost<Protocol>(s, 1.5 * rounds(s)); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const blocks all = blocks::of(call);
    all.fill_own(call);
    for (int round = 0; 1 << round < t.n_pes; ++round) {
      const int width = 1 << round;
      const int count = std::min(width, t.n_pes - width);
      all.send(protocol, after(t, t.n_pes - width), round, t.my_pe, count);
      all.receive(protocol, after(t, width), round, after(t, width), count);
    }
  }
};

}  // namespace

constexpr protocol_variants bruck_fcollect = variants_of<bruck>(kind::fcollect);
constexpr protocol_variants bruck_collect = variants_of<bruck>(kind::collect);

// ---- recursive doubling -------------------------------------------------------------------------------------
//
// Recursive doubling: in each round two PEs exchange all that they have, so that both have twice as much. Where the
// team is no power of two some PEs fold into their neighbours, and get everything from them at the end.

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
  static constexpr schedule_text text{
      .name = "recursive-doubling",
      .about = "recursive doubling: two PEs exchange all that they have",
      .steps = "floor(log2 n), and 2 more where n is no power of two",
      .traffic = "p log2 p + 2 (n - p) messages; n (p - 1) b + (n - p) (n + 1) b, p the largest power of two in n",
      .paper = paper::thakur};

  static double cost(const team_shape& s) {
    const double depth = rounds(s);
    const bool power = std::has_single_bit(static_cast<unsigned>(s.n_pes));
    return all_pairs_cost<Protocol>(s, power ? depth : depth + 1, power ? 1 : 2);
  }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const blocks all = blocks::of(call);
    const fold f(t.n_pes, t.my_pe);
    all.fill_own(call);
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

constexpr protocol_variants doubling_fcollect = variants_of<doubling>(kind::fcollect);
constexpr protocol_variants doubling_collect = variants_of<doubling>(kind::collect);

}  // namespace oshen::coll
