// Rabenseifner's schedule among all PEs of the team.
#include "coll/algorithms/reduce/halving.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct rabenseifner {
  static constexpr schedule_text text{.name = "rabenseifner",
                                      .about = "Rabenseifner: reduce-scatter by halving, gather by doubling",
                                      .steps = "2 floor(log2 n), and 2 more if n is not a power of two",
                                      .traffic = "2 p log2 p + 2 (n - p) messages; 2 (p - 1) b + 2 (n - p) b bytes",
                                      .paper = paper::rabenseifner};

  static double cost(const team_shape& s) { return halving_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    source_to_dest(call);
    halve_and_gather(call, fold(call.members.n_pes, call.members.my_pe), protocol);
  }
};

}  // namespace

constexpr protocol_variants rabenseifner_reduce = variants_of<rabenseifner>(kind::reduce);

}  // namespace oshen::coll
