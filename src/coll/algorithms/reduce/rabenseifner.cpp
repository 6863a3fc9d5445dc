// Rabenseifner: halves of halves are exchanged and combined until each PE has the result of its own part of the
// vector; then the parts are gathered the same way back. Every PE combines the vector only once.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int gather_steps = 14;  // of the cells: those below are for the halving

// The parts of the vector that a PE works on: [first, end) of `power`.
struct window {
  int first = 0;
  int end;
};

template <class Protocol>
window halve(const task& job, const fold& f, Protocol& protocol) {
  window mine{.end = f.power};
  int step = 0;
  for (int distance = f.power / 2; distance > 0; distance /= 2, ++step) {
    const int partner = f.pe_at(f.place ^ distance), middle = (mine.first + mine.end) / 2;
    const bool lower = (f.place & distance) == 0;
    const stretch low = stretch_of(job, mine.first, middle, f.power);
    const stretch high = stretch_of(job, middle, mine.end, f.power);
    const stretch &keep = lower ? low : high, &give = lower ? high : low;
    protocol.pass(partner, partner, step, place_of(job, give), give.elements, place_of(job, keep), keep.elements);
    (lower ? mine.end : mine.first) = middle;
  }
  return mine;
}

template <class Protocol>
void gather(const task& job, const fold& f, Protocol& protocol, window mine) {
  int step = gather_steps;
  for (int distance = 1; distance < f.power; distance *= 2, ++step) {
    const int partner = f.pe_at(f.place ^ distance), width = mine.end - mine.first;
    const bool lower = (f.place & distance) == 0;
    const window theirs = lower ? window{mine.end, mine.end + width} : window{mine.first - width, mine.first};
    const stretch give = stretch_of(job, mine.first, mine.end, f.power);
    const stretch want = stretch_of(job, theirs.first, theirs.end, f.power);
    protocol.send(partner, step, place_of(job, give), place_of(job, give), give.elements * job.element_bytes);
    protocol.receive(partner, step, place_of(job, want), want.elements * job.element_bytes);
    mine = {std::min(mine.first, theirs.first), std::max(mine.end, theirs.end)};
  }
}

template <class Protocol>
struct rabenseifner {
  static constexpr schedule_words words{
      .name = "rabenseifner", .about = "Rabenseifner: reduce-scatter by halving, gather by doubling",
      .steps = "2 floor(log2 n), and 2 more where n is no power of two",
      .traffic = "2 p log2 p + 2 (n - p) messages; 2 (p - 1) b + 2 (n - p) b, p the largest power of two in n",
      .paper = paper::rabenseifner};

  static double cost(const setting& s) { return protocol_cost<Protocol>(s, 2 * rounds(s) + 2, s.spans ? 2 : 5); }

  // What comes back in `gather` is written over parts that a partner may still read where they are (pull) or wait to
  // send (messages): the protocol settles between the two.
  static void run(const task& job, Protocol& protocol) {
    const fold f(job.members.n_pes, job.members.my_pe);
    source_to_dest(job);
    fold_in(job, f, protocol);
    if (f.place >= 0) {
      const window mine = halve(job, f, protocol);
      protocol.settle();
      gather(job, f, protocol, mine);
    }
    fold_out(job, f, protocol);
  }
};

}  // namespace

constexpr protocol_rows rabenseifner_reduce = rows_of<rabenseifner>(kind::reduce);

}  // namespace oshen::coll
