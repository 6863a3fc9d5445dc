// For teams that span nodes: one reduction to a root after the other, each PE the root of its own share.
#include "coll/choosing/algorithms.hpp"
#include "coll/algorithms/reduce_scatter/parts.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

void run_rooted(const task& job) {
  team& t = job.members;
  for (int root = 0; root < t.n_pes; ++root) {
    const part share = part_of_pe(job, root);
    if (share.elements == 0) continue;
    if (root != 0) begin_collective(t, job.routine);
    tree_put_reduce_to_root.run(task{.members = t,
                                     .routine = job.routine,
                                     .dest = job.dest,
                                     .source = job.source + share.first * job.element_bytes,
                                     .elements = share.elements,
                                     .element_bytes = job.element_bytes,
                                     .root = root,
                                     .combine = job.combine});
  }
}

double cost(const setting& s) {
  if (!s.spans) return impossible;
  const double messages = s.n_pes * rounds(s);
  return protocol_cost<put_protocol>(s, messages, 2 * messages);
}

}  // namespace

constexpr algorithm rooted_put_reduce_scatter{
    .collective = kind::reduce_scatter, .name = "rooted-put", .how = design::one_sided, .where = scope::any,
    .about = "one reduction after the other, each PE the root of its own share",
    .needs = "a team that spans nodes",
    .steps = "n ceil(log2 n)", .traffic = "n (n - 1) messages; n (n - 1) b",
    .cost = cost, .run = run_rooted};

}  // namespace oshen::coll
