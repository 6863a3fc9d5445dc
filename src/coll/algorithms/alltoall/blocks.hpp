// Helpers of the schedules of alltoall and alltoalls: blocks, and rounds in which each PE sends to one PE and receives
// from one PE.
#pragma once

#include <algorithm>

#include "coll/algorithms/schedule.hpp"
#include "coll/call/sequence.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// The number of rounds that have a step of their own.
inline constexpr int rounds_together = 28;

// Calls `exchange(to, from, step)` for every other PE; the distance grows by one in each round. Because partners
// change, a step slot may be reused only when no PE is still in the round that used it. So the team synchronises after
// every `rounds_together` rounds.
template <class Protocol, class Exchange>
void for_pairs(const collective_call& call, Protocol& protocol, Exchange exchange) {
  team& t = call.members;
  for (int round = 1; round < t.n_pes; ++round) {
    const int step = (round - 1) % rounds_together;
    if (step == 0 && round > 1) {
      protocol.settle();
      sync_team(t, call.routine);
    }
    exchange(after(t, round), after(t, t.n_pes - round), step);
  }
}

// The offset of the block of PE `pe` in an array with one block for each PE.
inline std::size_t block_at(const collective_call& call, int pe) { return static_cast<std::size_t>(pe) * call.bytes(); }

// The blocks of this PE: `source(pe)` goes to `dest(me())` on PE `pe`. In alltoalls consecutive elements are
// a stride apart, also across blocks. In alltoall the strides are 1.
struct own_blocks {
  const collective_call& call;

  int me() const { return call.members.my_pe; }
  const char* source(int pe) const {
    return call.source + block_at(call, pe) * static_cast<std::size_t>(call.source_stride);
  }
  char* dest(int pe) const { return call.dest + block_at(call, pe) * static_cast<std::size_t>(call.dest_stride); }

  // Copies the block for PE `pe`.
  void copy(int pe, char* to) const {
    copy_elements(to, source(pe), call.dest_stride, call.source_stride, call.elements, call.element_bytes);
  }
  void copy_own() const { copy(me(), dest(me())); }
};

// The blocks of alltoall over one protocol. They are contiguous. The blocks of alltoalls have the same members, so that
// a schedule is written once for both collectives.
template <class Protocol>
struct whole_blocks : own_blocks {
  static constexpr const char* traffic = "n (n - 1) messages; n (n - 1) b bytes";
  static double cost(const team_shape& s, double steps) { return all_pairs_cost<Protocol>(s, steps); }
  static double cost_at_once(const team_shape& s) { return all_at_once_cost<Protocol>(s); }

  Protocol& protocol;

  void send(int pe, int step) const { protocol.send(pe, step, source(pe), dest(me()), call.bytes()); }
  void receive(int pe, int step) const { protocol.receive(pe, step, dest(pe), call.bytes()); }
  void deposit(int pe) const { protocol.deposit(pe, source(pe), dest(me()), call.bytes()); }
  void accept(int pe) const { protocol.accept(pe, source(me()), dest(pe), call.bytes()); }
};

// The blocks of alltoalls over one protocol. Their elements are copied one by one, which costs several times as much.
template <class Protocol>
struct strided_blocks : own_blocks {
  static constexpr const char* traffic = Protocol::protocol == protocol_kind::two_sided
                                             ? "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b bytes"
                                             : "n (n - 1) messages; n (n - 1) b bytes";
  static double cost(const team_shape& s, double steps) { return all_pairs_cost<Protocol>(s, steps, 20); }
  static double cost_at_once(const team_shape& s) { return cost(s, 1) + 60.0 * s.n_pes; }

  Protocol& protocol;

  void send(int pe, int step) const { protocol.send_elements(pe, step, source(pe), dest(me()), call.elements); }
  void receive(int pe, int step) const { protocol.receive_elements(pe, step, dest(pe), call.elements); }
  void deposit(int pe) const { protocol.deposit_elements(pe, source(pe), dest(me()), call.elements); }
  void accept(int pe) const { protocol.accept_elements(pe, source(me()), dest(pe), call.elements); }
};

// The entries of a schedule over one kind of blocks.
template <template <class, template <class> class> class Schedule, template <class> class Blocks>
consteval protocol_variants block_variants(kind collective) {
  return {variant_of<Schedule<put_protocol, Blocks>, put_protocol>(collective),
          variant_of<Schedule<message_protocol, Blocks>, message_protocol>(collective),
          variant_of<Schedule<pull_protocol, Blocks>, pull_protocol>(collective)};
}

}  // namespace oshen::coll
