// Gather and gatherv by direct access to the memory of peers on one node.
#include "coll/algorithms/inline_data.hpp"
#include "coll/algorithms/rooted_blocks.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// For contributions that fit into a flag slot or a long payload. Every PE posts and leaves, and the root collects the
// contributions.

namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe != call.root)
    post(t, 0, call.source, call.bytes());
  else
    collect_posted(call, call.bytes());
}

}  // namespace

constexpr algorithm inline_gather{.collective = kind::gather,
                                  .name = "inline",
                                  .protocol = protocol_kind::one_sided,
                                  .about = "contributions travel in the flag slots; only the root waits",
                                  .needs = "at most 2 KiB from each PE",
                                  .steps = "1",
                                  .traffic = "n - 1 flags; (n - 1) b bytes to the flag slots, (n - 1) b to the dest",
                                  .cost = root_inline_cost,
                                  .run = run_inline};

// ---- pull ---------------------------------------------------------------------------------------------------
//
// The root copies the blocks from the sources, one after the other. Small blocks travel in the flag slots of their
// owners, which leave at once. The root's own flag slot tells the other PEs that their sources have been read.

namespace {

void run_pull(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe != call.root) return leave_block(call, call.root);
  const root_blocks blocks(call, call.into);
  blocks.copy_own(call.dest + blocks.offset(t.my_pe), call.source);
  for (const int pe : others(t)) take_block(call, pe, blocks.at(pe).elements, call.dest + blocks.offset(pe));
  post(t);
}

double cost_of_pull(const team_shape& s) {
  return steps(s, 1.5) + lines(s, s.n_pes) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm pull_gather{.collective = kind::gather,
                                .name = "pull",
                                .protocol = protocol_kind::single_copy,
                                .about = "the root reads every block in the source, or in the flag slot if it is small",
                                .steps = "1 for a block of at most 112 bytes, else 2",
                                .traffic = "n flags; every block copied once, by the root",
                                .cost = cost_of_pull,
                                .run = run_pull};
constexpr algorithm pull_gatherv = pull_gather.as(kind::gatherv);

// ---- push ---------------------------------------------------------------------------------------------------
//
// Every PE writes its block into the root's dest, posts and leaves. It may write before the root has entered. In
// gatherv the root first posts the position of each block.

namespace {

void run_push(const collective_call& call) {
  team& t = call.members;
  const root_blocks blocks(call, call.into);
  char* dest = call.dest + (call.blocks_differ ? blocks.tell().offset : blocks.offset(t.my_pe));
  if (t.my_pe != call.root) {
    if (call.elements != 0) write_to(t, call.root, dest, call.source, call.bytes());
    post(t);
    return;
  }
  blocks.copy_own(dest, call.source);
  await_all(call);
}

double cost_of_push(const team_shape& s) {
  return steps(s, 1.5) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes));
}
double cost_of_told_push(const team_shape& s) { return cost_of_push(s) + steps(s, 0.5); }

}  // namespace

constexpr algorithm push_gather{.collective = kind::gather,
                                .name = "push",
                                .protocol = protocol_kind::single_copy,
                                .about = "every PE writes its block into the root's dest; only the root waits",
                                .steps = "1",
                                .traffic = "n - 1 flags; (n - 1) b bytes copied, each block by its owner",
                                .cost = cost_of_push,
                                .run = run_push};
constexpr algorithm push_gatherv{.collective = kind::gatherv,
                                 .name = "push",
                                 .protocol = protocol_kind::single_copy,
                                 .about = "the root posts the positions, and every PE writes its block there",
                                 .steps = "2",
                                 .traffic = "n flags; every block copied once, by its owner",
                                 .cost = cost_of_told_push,
                                 .run = run_push};

}  // namespace oshen::coll
