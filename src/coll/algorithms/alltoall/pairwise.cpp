// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol, template <class> class Blocks>
struct pairwise {
  static constexpr schedule_words words{
      .name = "pairwise", .about = "one partner each way in each round, at growing distance",
      .steps = "n - 1, and a sync after each 28", .traffic = Blocks<Protocol>::traffic,
      .paper = paper::thakur};

  static double cost(const setting& s) { return Blocks<Protocol>::cost(s, s.n_pes - 1); }

  static void run(const task& job, Protocol& protocol) {
    const Blocks<Protocol> blocks{{job}, protocol};
    blocks.copy_own();
    for_pairs(job, protocol, [&](int to, int from, int step) {
      blocks.send(to, step);
      blocks.receive(from, step);
    });
  }
};

}  // namespace

constexpr protocol_rows pairwise_alltoall = block_rows<pairwise, whole_blocks>(kind::alltoall);
constexpr protocol_rows pairwise_alltoalls = block_rows<pairwise, strided_blocks>(kind::alltoalls);

}  // namespace oshen::coll
