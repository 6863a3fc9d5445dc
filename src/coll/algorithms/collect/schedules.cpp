// Schedules of collect and fcollect over the protocols of coll/protocol.
#include "coll/algorithms/collect/blocks.hpp"
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {

// ---- linear -------------------------------------------------------------------------------------------------
//
// Every PE sends its block to every other PE, all at the same time.

namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text =
      linear_text<Protocol>("every PE sends its block to every other", "n flags and a sync; n (n - 1) b bytes",
                            "n (n - 1) messages; n (n - 1) b bytes");

  static double cost(const team_shape& s) { return all_at_once_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    team& t = call.members;
    const blocks all = blocks::of(call);
    protocol.expose();
    char* own = all.address(t.my_pe);
    if (call.elements != 0)
      for (const int pe : others(t)) protocol.deposit(pe, call.source, own, call.bytes());
    all.fill_own(call);
    for (const int pe : others_backwards(t))
      if (all.bytes(pe, 1) != 0) protocol.accept(pe, all.source(call, pe), all.address(pe), all.bytes(pe, 1));
  }
};

}  // namespace

constexpr protocol_variants linear_fcollect = variants_of<linear>(kind::fcollect);
constexpr protocol_variants linear_collect = variants_of<linear>(kind::collect);

// ---- ring ---------------------------------------------------------------------------------------------------
//
// Blocks travel round the team: in each step a PE forwards to the next PE the block of the step before.

namespace {

template <class Protocol>
struct ring {
  static constexpr schedule_text text{
      .name = "ring",
      .about = "blocks travel round the team: in each step a PE forwards the block of the step before",
      .steps = "n - 1",
      .traffic = "n (n - 1) messages; n (n - 1) b bytes",
      .paper = paper::thakur};

  static double cost(const team_shape& s) { return all_pairs_cost<Protocol>(s, s.n_pes - 1); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const blocks all = blocks::of(call);
    const int next = after(t, 1);
    const int before = after(t, t.n_pes - 1);
    if (t.n_pes > 1) all.send_own(protocol, next, 0, call);
    all.fill_own(call);  // while the first block is under way
    for (int i = 1; i < t.n_pes; ++i) {
      all.receive(protocol, before, 0, after(t, t.n_pes - i), 1);
      if (i + 1 < t.n_pes) all.send(protocol, next, 0, after(t, t.n_pes - i), 1);
    }
  }
};

}  // namespace

constexpr protocol_variants ring_fcollect = variants_of<ring>(kind::fcollect);
constexpr protocol_variants ring_collect = variants_of<ring>(kind::collect);

// ---- bruck --------------------------------------------------------------------------------------------------
//
// Bruck: in round r a PE sends all its blocks to the PE 2^r before it, so that the number of blocks on each PE doubles,
// for any number of PEs. Blocks go directly to their offsets in dest, so dest need not be rotated at the end. Therefore
// blocks that wrap at the end of the team take two messages.

namespace {

template <class Protocol>
struct bruck {
  static constexpr schedule_text text{
      .name = "bruck",
      .about = "Bruck: the number of blocks on each PE doubles in each round, for any number of PEs",
      .steps = "ceil(log2 n), of one or two messages each",
      .traffic = "fewer than n (ceil(log2 n) + 1) messages; n (n - 1) b bytes",
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
// Recursive doubling: in each round two PEs exchange all their blocks, so that each has twice as many. If the team size
// is not a power of two, some PEs fold into their neighbours, and receive all blocks from them at the end.

namespace {

// One round. The blocks of a PE are those of a group of 2^round ranks, and of the PEs that have folded into them.
template <class Protocol>
void exchange(const blocks& all, const fold& f, Protocol& protocol, int round) {
  const int width = 1 << round;
  const int partner = f.rank ^ width;
  const int mine = f.rank & -width;
  const int theirs = partner & -width;
  const auto count = [&](int first) { return f.first_pe(first + width) - f.first_pe(first); };
  all.send(protocol, f.pe_at(partner), round, f.first_pe(mine), count(mine));
  all.receive(protocol, f.pe_at(partner), round, f.first_pe(theirs), count(theirs));
}

template <class Protocol>
struct doubling {
  static constexpr schedule_text text{.name = "recursive-doubling",
                                      .about = "recursive doubling: in each round two PEs exchange all their blocks",
                                      .steps = "floor(log2 n), and 2 more if n is not a power of two",
                                      .traffic = "p log2 p + 2 (n - p) messages; n (p - 1) b + (n - p) (n + 1) b bytes",
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
    if (f.rank < 0) {
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
