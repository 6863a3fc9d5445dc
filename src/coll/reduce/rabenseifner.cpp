// Rabenseifner: halves of halves are exchanged and combined until each PE has the result of its own part of the
// vector; then the parts are gathered the same way back. Every PE combines the vector only once.
#include "coll/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int gather_steps = 14;  // of the cells: those below are for the halving

// The parts of the vector that a PE works on: [first, end) of `power`.
struct window {
  int first = 0;
  int end;
};

template <class Wire>
window halve(const task& job, const fold& f, Wire& wire) {
  window mine{.end = f.power};
  int step = 0;
  for (int distance = f.power / 2; distance > 0; distance /= 2, ++step) {
    const int partner = f.pe_at(f.place ^ distance), middle = (mine.first + mine.end) / 2;
    const bool lower = (f.place & distance) == 0;
    const stretch low = stretch_of(job, mine.first, middle, f.power);
    const stretch high = stretch_of(job, middle, mine.end, f.power);
    const stretch &keep = lower ? low : high, &give = lower ? high : low;
    wire.pass(partner, partner, step, place_of(job, give), give.elements, place_of(job, keep), keep.elements);
    (lower ? mine.end : mine.first) = middle;
  }
  return mine;
}

template <class Wire>
void gather(const task& job, const fold& f, Wire& wire, window mine) {
  int step = gather_steps;
  for (int distance = 1; distance < f.power; distance *= 2, ++step) {
    const int partner = f.pe_at(f.place ^ distance), width = mine.end - mine.first;
    const bool lower = (f.place & distance) == 0;
    const window theirs = lower ? window{mine.end, mine.end + width} : window{mine.first - width, mine.first};
    const stretch give = stretch_of(job, mine.first, mine.end, f.power);
    const stretch want = stretch_of(job, theirs.first, theirs.end, f.power);
    wire.send(partner, step, place_of(job, give), place_of(job, give), give.elements * job.element_bytes);
    wire.receive(partner, step, place_of(job, want), want.elements * job.element_bytes);
    mine = {std::min(mine.first, theirs.first), std::max(mine.end, theirs.end)};
  }
}

// What comes back in `gather` is written over parts that a partner may still read where they are (pull) or wait to
// send (messages): the wire settles between the two.
template <class Wire>
void run_rabenseifner(const task& job) {
  const fold f(job.members.n_pes, job.members.my_pe);
  Wire wire(job);
  source_to_dest(job);
  fold_in(job, f, wire);
  if (f.place >= 0) {
    const window mine = halve(job, f, wire);
    wire.settle();
    gather(job, f, wire, mine);
  }
  fold_out(job, f, wire);
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return wire_cost<Wire>(s, 2 * rounds + 2, 5 * static_cast<double>(s.bytes));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Wire::how,
          .about = "Rabenseifner: reduce-scatter by halving, gather by doubling",
          .needs = "a room",
          .steps = "2 floor(log2 n), and 2 more where n is no power of two",
          .traffic = "2 p log2 p + 2 (n - p) messages; 2 (p - 1) b + 2 (n - p) b, p the largest power of two in n",
          .paper = "Rabenseifner: Optimization of collective reduction operations, ICCS 2004, "
                   "doi:10.1007/978-3-540-24685-5_1",
          .cost = cost<Wire>,
          .run = run_rabenseifner<Wire>};
}

}  // namespace

constexpr algorithm rabenseifner_put_reduce = row<put_wire>("rabenseifner-put");
constexpr algorithm rabenseifner_message_reduce = row<message_wire>("rabenseifner-message");
constexpr algorithm rabenseifner_pull_reduce = row<pull_wire>("rabenseifner-pull");

}  // namespace oshen::coll
