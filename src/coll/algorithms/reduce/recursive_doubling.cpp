// Recursive doubling: in round r PEs at distance 2^r exchange their partial results, and both combine them.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct doubling {
  static constexpr schedule_text text{
      .name = "recursive-doubling",
      .about = "recursive doubling: in round r PEs at distance 2^r exchange and combine",
      .steps = "floor(log2 n), and 2 more if n is not a power of two",
      .traffic = "p log2 p + 2 (n - p) messages of b bytes",
      .paper = paper::thakur};

  static double cost(const team_shape& s) {
    return logarithmic_cost<Protocol>(s, s.spans ? 1 : 4) +
           credit_network_cost(s, rounds(s), rounds(s) * static_cast<double>(s.bytes));
  }

  static void run(const collective_call& call, Protocol& protocol) {
    source_to_dest(call);
    double_up(call, fold(call.members.n_pes, call.members.my_pe), protocol);
  }
};

}  // namespace

constexpr protocol_variants doubling_reduce = variants_of<doubling>(kind::reduce);

}  // namespace oshen::coll
