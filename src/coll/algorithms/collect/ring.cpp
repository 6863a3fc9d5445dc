// Blocks go round: in each step a PE hands on to the next PE what it was given in the step before.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct ring {
  static constexpr schedule_words words{
      .name = "ring", .about = "blocks go round the team",
      .steps = "n - 1", .traffic = "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return all_pairs_cost<Protocol>(s, s.n_pes - 1); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const blocks all = blocks::of(job);
    all.fill_own(job);
    const int next = after(t, 1);
    const int before = after(t, t.n_pes - 1);
    for (int i = 0; i < t.n_pes - 1; ++i) {
      all.send(protocol, next, 0, after(t, (t.n_pes - i) % t.n_pes), 1);
      all.receive(protocol, before, 0, after(t, t.n_pes - 1 - i), 1);
    }
  }
};

}  // namespace

constexpr protocol_rows ring_fcollect = rows_of<ring>(kind::fcollect);
constexpr protocol_rows ring_collect = rows_of<ring>(kind::collect);

}  // namespace oshen::coll
