// Up and down a tree, in the manner of Blelloch: on the way up the last PE of each block of 2^(r+1) gets the sum of the
// block; on the way down it hands what it has to the PE half a block further on. Fewer messages than Hillis and Steele,
// twice the steps.
#include "coll/scan/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int down = 14;  // of the cells: those below are for the way up

// The last PE of a block of 2^(round + 1).
bool is_last(int pe, int round) { return (pe + 1) % (2 << round) == 0; }

// What went up may be read where it is: it must have been, before the way down changes it.
template <class Wire>
void blelloch(const task& job, Wire& wire) {
  const team& t = job.members;
  int rounds = 0;
  for (; 1 << rounds < t.n_pes; ++rounds) {
    const int half = 1 << rounds;
    if (is_last(t.my_pe, rounds))
      wire.pass(-1, t.my_pe - half, rounds, nullptr, 0, job.dest, job.elements);
    else if (t.my_pe + half < t.n_pes && is_last(t.my_pe + half, rounds))
      wire.pass(t.my_pe + half, -1, rounds, job.dest, job.elements, nullptr, 0);
  }
  wire.settle();
  while (--rounds >= 0) {
    const int half = 1 << rounds;
    if (is_last(t.my_pe, rounds) && t.my_pe + half < t.n_pes)
      wire.pass(t.my_pe + half, -1, down + rounds, job.dest, job.elements, nullptr, 0);
    else if (t.my_pe >= half && is_last(t.my_pe - half, rounds))
      wire.pass(-1, t.my_pe - half, down + rounds, nullptr, 0, job.dest, job.elements);
  }
}

template <class Wire, bool inclusive>
double cost(const setting& s) {
  [[maybe_unused]] const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  const double messages = rounds < 1 ? 0 : 2 * rounds - 1;
  return wire_cost<Wire>(s, messages + (inclusive ? 0 : 1), 2 * messages * static_cast<double>(s.bytes));
}

template <class Wire, bool inclusive>
constexpr algorithm row(const char* name) {
  return {.collective = inclusive ? kind::inscan : kind::exscan,
          .name = name,
          .how = Wire::how,
          .about = "up and down a tree: few messages, twice the steps",
          .needs = "a room",
          .steps = inclusive ? "2 ceil(log2 n) - 1" : "2 ceil(log2 n)",
          .traffic = inclusive ? "fewer than 2 n messages; fewer than 2 n b" : "fewer than 3 n messages; fewer than 3 n b",
          .paper = "Blelloch: Scans as primitive parallel operations, IEEE Trans. Computers 38(11), 1989, doi:10.1109/12.42122",
          .cost = cost<Wire, inclusive>,
          .run = inclusive ? run_inscan<Wire, blelloch<Wire>> : run_exscan<Wire, blelloch<Wire>>};
}

}  // namespace

constexpr algorithm blelloch_put_inscan = row<put_wire, true>("blelloch-put");
constexpr algorithm blelloch_message_inscan = row<message_wire, true>("blelloch-message");
constexpr algorithm blelloch_pull_inscan = row<pull_wire, true>("blelloch-pull");
constexpr algorithm blelloch_put_exscan = row<put_wire, false>("blelloch-put");
constexpr algorithm blelloch_message_exscan = row<message_wire, false>("blelloch-message");
constexpr algorithm blelloch_pull_exscan = row<pull_wire, false>("blelloch-pull");

}  // namespace oshen::coll
