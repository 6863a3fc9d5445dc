// Alltoall and alltoalls by direct access to the memory of peers on one node.
#include "coll/algorithms/alltoall/blocks.hpp"
#include "coll/algorithms/inline_data.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// For blocks that together fit into a flag slot or a long payload. Every PE posts all its blocks, and reads its own
// block from each of the other PEs.

namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  const auto block = [&](int pe) { return static_cast<std::size_t>(pe) * bytes; };
  post(t, 0, call.source, block(t.n_pes));
  memcpy(call.dest + block(t.my_pe), call.source + block(t.my_pe), bytes);
  for (const int pe : others(t))
    memcpy(call.dest + block(pe), await_payload(call, pe, block(t.n_pes)) + block(t.my_pe), bytes);
}

double cost_of_inline(const team_shape& s) {
  return inline_cost(s, s.bytes * static_cast<std::size_t>(s.n_pes), s.n_pes - 1);
}

}  // namespace

constexpr algorithm inline_alltoall{.collective = kind::alltoall,
                                    .name = "inline",
                                    .protocol = protocol_kind::one_sided,
                                    .about = "all blocks of a PE travel in its flag slot",
                                    .needs = "at most 2 KiB from each PE",
                                    .steps = "1",
                                    .traffic = "n flags; n^2 b bytes to the flag slots, n (n - 1) b to the dests",
                                    .cost = cost_of_inline,
                                    .run = run_inline};

// ---- push ---------------------------------------------------------------------------------------------------
//
// Every PE writes its blocks into the dests, which the standard permits before the peer has entered. Then all PEs
// synchronise.

namespace {

void run_push(const collective_call& call) {
  team& t = call.members;
  const own_blocks blocks{call};
  blocks.copy_own();
  for (const int pe : others(t)) {
    observe(t, event::copy, pe, call.bytes());
    blocks.copy(pe, peer_address(t, pe, blocks.dest(t.my_pe)));
  }
  sync_team(t, call.routine);
}

double cost_of_push(const team_shape& s) {
  return sync_cost(s) + lines(s, s.n_pes) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}
double strided_cost(const team_shape& s) {
  return sync_cost(s) + lines(s, 2) + copies(s, 2 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_alltoall{.collective = kind::alltoall,
                                  .name = "push",
                                  .protocol = protocol_kind::single_copy,
                                  .about = "every PE writes its blocks into the dests; ends with a sync",
                                  .steps = "1 + sync",
                                  .traffic = "a sync; n (n - 1) b bytes copied",
                                  .cost = cost_of_push,
                                  .run = run_push};
constexpr algorithm push_alltoalls = push_alltoall.as(kind::alltoalls).at(strided_cost);

}  // namespace oshen::coll
