// Linear: PE 0 combines the vectors of all other PEs, one after the other, and sends the result to each.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_root(const collective_call& call, Protocol& protocol) {
  const team& t = call.members;
  source_to_dest(call);
  for (int pe = 1; pe < t.n_pes; ++pe) protocol.take(pe, call.source, call.dest, call.elements);
  protocol.expose();
  for (int pe = 1; pe < t.n_pes; ++pe) protocol.deposit(pe, call.dest, call.dest, call.bytes());
}

template <class Protocol>
struct linear {
  static constexpr schedule_text text{.name = "linear",
                                      .about = "PE 0 combines all vectors and sends the result to all PEs",
                                      .steps = "n",
                                      .traffic = "2 (n - 1) messages; 2 (n - 1) b bytes"};

  static double cost(const team_shape& s) {
    return protocol_cost<Protocol>(s, 2.0 * (s.n_pes - 1), (s.spans ? 2.0 : 4.0) * (s.n_pes - 1));
  }

  // Dest may be source: PE 0 sends results only after it has taken all sources.
  static void run(const collective_call& call, Protocol& protocol) {
    if (call.members.my_pe == 0) {
      run_root(call, protocol);
    } else {
      protocol.expose();
      protocol.give(0, call.source, call.elements);
      protocol.accept(0, call.dest, call.dest, call.bytes());
    }
  }
};

}  // namespace

constexpr protocol_variants linear_reduce = variants_of<linear>(kind::reduce);

}  // namespace oshen::coll
