// Every PE gives every other its block, all at once.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol, template <class> class Blocks>
struct linear {
  static constexpr schedule_words words =
      linear_words<Protocol>("every PE gives every other its block, all at once", "n flags and a sync; n (n - 1) b",
                             Blocks<Protocol>::traffic);

  static double cost(const setting& s) { return Blocks<Protocol>::cost_at_once(s); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const Blocks<Protocol> blocks{{job}, protocol};
    protocol.expose();
    for (const int pe : others(t)) blocks.deposit(pe);
    blocks.copy_own();
    for (const int pe : others_backwards(t)) blocks.accept(pe);
  }
};

}  // namespace

constexpr protocol_rows linear_alltoall = block_rows<linear, whole_blocks>(kind::alltoall);
constexpr protocol_rows linear_alltoalls = block_rows<linear, strided_blocks>(kind::alltoalls);

}  // namespace oshen::coll
