// Up and down a tree, in the manner of Blelloch: on the way up the last PE of each block of 2^(r+1) gets the sum of the
// block; on the way down it hands what it has to the PE half a block further on. Fewer messages than Hillis and Steele,
// twice the steps.
#include "coll/algorithms/scan/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int down = 14;  // of the cells: those below are for the way up

// The last PE of a block of 2^(round + 1).
bool is_last(int pe, int round) { return (pe + 1) % (2 << round) == 0; }

template <class Protocol>
struct blelloch {
  static constexpr schedule_words inclusive{
      .name = "blelloch", .about = "up and down a tree: few messages, twice the steps",
      .steps = "2 ceil(log2 n) - 1", .traffic = "fewer than 2 n messages; fewer than 2 n b",
      .paper = paper::blelloch};
  static constexpr schedule_words exclusive =
      inclusive.with("2 ceil(log2 n)", "fewer than 3 n messages; fewer than 3 n b");
  static constexpr double copies = 2;
  static double messages(const setting& s) { return s.n_pes < 2 ? 0 : 2 * rounds(s) - 1; }

  // What went up may be read where it is: it must have been, before the way down changes it.
  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    int rounds = 0;
    for (; 1 << rounds < t.n_pes; ++rounds) {
      const int half = 1 << rounds;
      if (is_last(t.my_pe, rounds))
        protocol.pass(-1, t.my_pe - half, rounds, nullptr, 0, job.dest, job.elements);
      else if (t.my_pe + half < t.n_pes && is_last(t.my_pe + half, rounds))
        protocol.pass(t.my_pe + half, -1, rounds, job.dest, job.elements, nullptr, 0);
    }
    protocol.settle();
    while (--rounds >= 0) {
      const int half = 1 << rounds;
      if (is_last(t.my_pe, rounds) && t.my_pe + half < t.n_pes)
        protocol.pass(t.my_pe + half, -1, down + rounds, job.dest, job.elements, nullptr, 0);
      else if (t.my_pe >= half && is_last(t.my_pe - half, rounds))
        protocol.pass(-1, t.my_pe - half, down + rounds, nullptr, 0, job.dest, job.elements);
    }
  }
};

}  // namespace

constexpr protocol_rows blelloch_inscan = scan_rows<blelloch, true>();
constexpr protocol_rows blelloch_exscan = scan_rows<blelloch, false>();

}  // namespace oshen::coll
