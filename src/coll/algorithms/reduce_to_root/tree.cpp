// A binomial tree combines the vectors towards the root. A leaf sends its source. An inner PE must not write its dest,
// so it combines in private memory. There is no single-copy form, because a parent cannot read private memory.
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct tree {
  static constexpr schedule_text text{.name = "tree",
                                      .about = "a binomial tree combines the vectors towards the root",
                                      .steps = "ceil(log2 n)",
                                      .traffic = "n - 1 messages; (n - 1) b bytes",
                                      .paper = paper::thakur};

  static double cost(const team_shape& s) { return logarithmic_cost<Protocol>(s, 2); }

  static void run(const collective_call& call, Protocol& protocol) {
    const virtual_ranks at(call);
    const binomial_tree tree(at);
    if (tree.is_leaf())
      return protocol.exchange(tree.rounds, {at.pe_at(tree.parent()), call.source, call.elements}, {});
    char* const sum = tree.is_root() ? call.dest : scratch_of(call.members, call.bytes(), call.routine);
    if (sum != call.source) memmove(sum, call.source, call.bytes());
    combine_up(call, at, sum, protocol);
  }
};

}  // namespace

constexpr algorithm tree_put_reduce_to_root = variant_of<tree, put_protocol>(kind::reduce_to_root);
constexpr algorithm tree_message_reduce_to_root = variant_of<tree, message_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
