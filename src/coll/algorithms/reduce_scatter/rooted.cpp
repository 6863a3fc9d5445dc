// For teams that span nodes: one reduction to a root after the other. Each PE is the root for its own share.
#include "coll/algorithms/reduce_scatter/parts.hpp"
#include "coll/call/sequence.hpp"
#include "coll/protocol/protocols.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_rooted(const collective_call& call) {
  team& t = call.members;
  for (int root = 0; root < t.n_pes; ++root) {
    const element_range share = share_of(call, root);
    if (share.elements == 0) continue;
    if (root != 0) begin_round(t, call.routine);
    tree_put_reduce_to_root.run(collective_call{.members = t,
                                                .routine = call.routine,
                                                .dest = call.dest,
                                                .source = call.source + share.first * call.element_bytes,
                                                .elements = share.elements,
                                                .element_bytes = call.element_bytes,
                                                .root = root,
                                                .combine = call.combine});
  }
}

double cost(const team_shape& s) {
  if (!s.spans) return impossible;
  const double messages = s.n_pes * rounds(s);
  return protocol_cost<put_protocol>(s, messages, 2 * messages);
}

}  // namespace

constexpr algorithm rooted_put_reduce_scatter{
    .collective = kind::reduce_scatter,
    .name = "rooted-put",
    .protocol = protocol_kind::one_sided,
    .where = scope::any,
    .about = "one reduction after the other; each PE is the root for its own share",
    .needs = "a team that spans nodes",
    .steps = "n ceil(log2 n)",
    .traffic = "n (n - 1) messages; n (n - 1) b bytes",
    .cost = cost,
    .run = run_rooted};

}  // namespace oshen::coll
