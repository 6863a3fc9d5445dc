// Recursive doubling: in round r each PE exchanges its partial result with the PE 2^r away, and both combine.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct doubling {
  static constexpr schedule_text text{
      .name = "recursive-doubling",
      .about = "recursive doubling: partners ever farther apart exchange and combine",
      .steps = "floor(log2 n), and 2 more where n is no power of two",
      .traffic = "p log2 p + 2 (n - p) messages of b bytes, p the largest power of two in n",
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
