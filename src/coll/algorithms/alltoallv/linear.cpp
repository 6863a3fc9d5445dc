// Linear schedules of alltoallv.
#include "coll/call/sequence.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/protocol/protocols.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// ---- linear -------------------------------------------------------------------------------------------------
//
// Matched messages: every PE sends each block to its receiver, which knows the position of the block in dest. PEs
// exchange no positions, so they wait only for blocks, which may arrive in any order.

namespace {

void run_linear(const collective_call& call) {
  const team& t = call.members;
  const std::size_t size = call.element_bytes;
  message_protocol protocol(call);
  for (const int pe : others_backwards(t))
    protocol.accept(pe, nullptr, call.dest + call.into.first[pe] * size, call.into.counts[pe] * size);
  for (const int pe : others(t))
    protocol.deposit(pe, call.source + call.from.first[pe] * size, nullptr, call.from.counts[pe] * size);
  copy_own_block(call);
  protocol.settle();
}

double cost_of_message(const team_shape& s) { return protocol_cost<message_protocol>(s, s.n_pes - 1, 1); }

}  // namespace

constexpr algorithm linear_message_alltoallv{
    .collective = kind::alltoallv,
    .name = "linear-message",
    .protocol = protocol_kind::two_sided,
    .about = "every PE sends its blocks, and receives blocks in any order",
    .steps = "1",
    .traffic = "n (n - 1) messages, also for empty blocks; every block sent once",
    .cost = cost_of_message,
    .run = run_linear};

// ---- put ----------------------------------------------------------------------------------------------------
//
// For teams that span nodes. Every PE puts the position of a peer's block into the bounce buffer of that peer. Then all
// PEs put their blocks. The deposits of both rounds are counted.

namespace {

// After the first sync the bounce buffers are free. The second sync keeps the counts of positions and of blocks apart.
void exchange_positions(const collective_call& call) {
  team& t = call.members;
  sync_team(t, call.routine);
  const step_slots slots(call);
  for (const int pe : others(t)) {
    const block_position mine{call.into.first[pe], call.into.counts[pe]};
    slots.deposit(pe, {&position_from(t, t.my_pe), &mine, sizeof mine});
  }
  slots.await_deposits(static_cast<std::uint64_t>(t.n_pes - 1));
  sync_team(t, call.routine);
}

void run_put(const collective_call& call) {
  team& t = call.members;
  const std::size_t size = call.element_bytes;
  exchange_positions(call);
  copy_own_block(call);
  const step_slots slots(call);
  for (const int pe : others(t)) {
    const block_position there = position_from(t, pe);
    check_length(call, "source_counts", pe, call.from.counts[pe], there.elements);
    slots.deposit(pe,
                  {call.dest + there.first * size, call.source + call.from.first[pe] * size, there.elements * size});
  }
  slots.await_deposits(static_cast<std::uint64_t>(t.n_pes - 1));
}

double cost_of_put(const team_shape& s) {
  if (!s.spans || s.n_pes > max_remote_positions) return impossible;
  return protocol_cost<put_protocol>(s, 2.0 * s.n_pes, 1) + 2 * sync_cost(s);
}

}  // namespace

constexpr algorithm linear_put_alltoallv{
    .collective = kind::alltoallv,
    .name = "linear-put",
    .protocol = protocol_kind::one_sided,
    .where = scope::any,
    .about = "every PE sends each peer the position of its block, then all put their blocks",
    .needs = "a team that spans nodes, at most 4096 PEs",
    .steps = "2 + 2 syncs",
    .traffic = "2 n (n - 1) messages; every block sent once",
    .cost = cost_of_put,
    .run = run_put};

}  // namespace oshen::coll
