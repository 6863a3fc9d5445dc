// Bruck: in each round a PE gives all that it has to a PE as far down the team, and so has twice as much after it,
// whatever the number of PEs. Blocks go straight to their places in dest, so that nothing has to be turned at the end:
// what goes round the end of the team takes two messages.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct bruck {
  static constexpr schedule_words words{
      .name = "bruck", .about = "Bruck: what a PE has doubles in each round, for any number of PEs",
      .steps = "ceil(log2 n), of one or two messages each",
      .traffic = "fewer than n (ceil(log2 n) + 1) messages; n (n - 1) b",
      .paper = paper::bruck};

  static double cost(const setting& s) { return all_pairs_cost<Protocol>(s, 1.5 * rounds(s)); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const blocks all = blocks::of(job);
    all.fill_own(job);
    for (int round = 0; 1 << round < t.n_pes; ++round) {
      const int width = 1 << round;
      const int count = std::min(width, t.n_pes - width);
      all.send(protocol, after(t, t.n_pes - width), round, t.my_pe, count);
      all.receive(protocol, after(t, width), round, after(t, width), count);
    }
  }
};

}  // namespace

constexpr protocol_rows bruck_fcollect = rows_of<bruck>(kind::fcollect);
constexpr protocol_rows bruck_collect = rows_of<bruck>(kind::collect);

}  // namespace oshen::coll
