// A binomial tree combines towards the root. A leaf gives its source; a PE in the middle, whose dest is not to be
// touched, combines in private memory: so there is no single-copy form, in which a parent would have to read it there.
#include "coll/algorithms/binomial_tree.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct tree {
  static constexpr schedule_words words{
      .name = "tree", .about = "binomial tree to the root",
      .steps = "ceil(log2 n)", .traffic = "n - 1 messages; (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return logarithmic_cost<Protocol>(s, 2); }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    const binomial_tree tree(at);
    if (tree.is_leaf())
      return protocol.pass(at.pe_at(tree.parent()), -1, tree.rounds, job.source, job.elements, nullptr, 0);
    char* const sum = tree.is_root() ? job.dest : scratch_of(job.members, job.bytes(), job.routine);
    if (sum != job.source) memmove(sum, job.source, job.bytes());
    combine_up(job, at, sum, protocol);
  }
};

}  // namespace

constexpr algorithm tree_put_reduce_to_root = row_of<tree, put_protocol>(kind::reduce_to_root);
constexpr algorithm tree_message_reduce_to_root = row_of<tree, message_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
