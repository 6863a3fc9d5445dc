// Scatter and scatterv by direct access to the memory of peers on one node.
#include "coll/algorithms/rooted_blocks.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// For blocks that together fit into a flag slot or a long payload. The root posts them and leaves, and each PE copies
// its own.

namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes(), all = bytes * static_cast<std::size_t>(t.n_pes);
  const std::size_t mine = static_cast<std::size_t>(t.my_pe) * bytes;
  if (t.my_pe == call.root) {
    post(t, 0, call.source, all);
    memmove(call.dest, call.source + mine, bytes);
  } else {
    memcpy(call.dest, await_payload(call, call.root, all) + mine, bytes);
  }
}

double cost_of_inline(const team_shape& s) {
  const double all = static_cast<double>(s.bytes) * s.n_pes;
  if (all > static_cast<double>(long_payload_bytes)) return impossible;
  return steps(s, 1) + copies_alone(s, all) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm inline_scatter{.collective = kind::scatter,
                                   .name = "inline",
                                   .protocol = protocol_kind::one_sided,
                                   .about = "all blocks travel in the root's flag slot",
                                   .needs = "at most 2 KiB in all",
                                   .steps = "1",
                                   .traffic = "1 flag; n b bytes to the flag slot, (n - 1) b to the dests",
                                   .cost = cost_of_inline,
                                   .run = run_inline};

// ---- pull ---------------------------------------------------------------------------------------------------
//
// All PEs copy their blocks from the root's source at the same time, and post. The root waits for these posts. No PE
// may read the source before the root has posted; in scatterv that post also contains the positions of the blocks.

namespace {

void pull_block(const collective_call& call, const char* block) {
  team& t = call.members;
  if (call.elements != 0) read_from(t, call.root, call.dest, block, call.bytes());
  post(t);
}

void run_pull(const collective_call& call) {
  team& t = call.members;
  const root_blocks blocks(call, call.from);
  const char* block = call.source + blocks.tell().offset;
  if (t.my_pe != call.root) return pull_block(call, block);
  blocks.copy_own(call.dest, block);
  await_all(call);
}

double cost_of_pull(const team_shape& s) {
  return steps(s, 2) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm pull_scatter{.collective = kind::scatter,
                                 .name = "pull",
                                 .protocol = protocol_kind::single_copy,
                                 .about = "every PE reads its block in the root's source; the root waits for all PEs",
                                 .steps = "2",
                                 .traffic = "n flags; every block copied once, by its receiver",
                                 .cost = cost_of_pull,
                                 .run = run_pull};
constexpr algorithm pull_scatterv = pull_scatter.as(kind::scatterv);

// ---- push ---------------------------------------------------------------------------------------------------
//
// The root writes each block into its dest, posts and leaves. It may write before the receiver has entered. In scatterv
// its post contains the lengths of the blocks. A root whose block is in place does not know the dests. Its note asks
// the other PEs to pull.

namespace {

void write_blocks(const collective_call& call, const root_blocks& blocks) {
  const team& t = call.members;
  for (const int pe : others(t)) {
    if (const std::size_t n = blocks.bytes(pe); n != 0) write_to(t, pe, call.dest, call.source + blocks.offset(pe), n);
  }
}

void run_push(const collective_call& call) {
  const root_blocks blocks(call, call.from);
  const bool is_root = call.members.my_pe == call.root;
  if (is_root && !call.in_place) write_blocks(call, blocks);
  const auto [offset, must_pull] = blocks.tell(call.in_place ? 1 : 0);
  const char* const block = call.source + offset;
  if (is_root) blocks.copy_own(call.dest, block);
  if (must_pull != 0) is_root ? await_all(call) : pull_block(call, block);
}

double cost_of_push(const team_shape& s) {
  return steps(s, 1.5) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm push_scatter{.collective = kind::scatter,
                                 .name = "push",
                                 .protocol = protocol_kind::single_copy,
                                 .about = "the root writes every dest, then raises one flag",
                                 .steps = "1",
                                 .traffic = "1 flag; every block copied once, all by the root",
                                 .cost = cost_of_push,
                                 .run = run_push};
constexpr algorithm push_scatterv = push_scatter.as(kind::scatterv);

}  // namespace oshen::coll
