// A binomial tree combines towards the root. A leaf gives its source; a PE in the middle, whose dest is not to be
// touched, combines in private memory: so there is no single-copy form, in which a parent would have to read it there.
#include "coll/algorithms/virtual_ranks.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct tree {
  static constexpr schedule_text text{.name = "tree",
                                      .about = "binomial tree to the root",
                                      .steps = "ceil(log2 n)",
                                      .traffic = "n - 1 messages; (n - 1) b",
                                      .paper = paper::thakur};

  static double cost(const team_shape& s) { return logarithmic_cost<Protocol>(s, 2); }

  static void run(const collective_call& call, Protocol& protocol) {
    const places at(call);
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
