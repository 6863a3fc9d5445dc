// What the schedules of alltoall and alltoalls share: blocks, and rounds in which a PE sends to one PE and hears one.
#pragma once

#include <algorithm>

#include "coll/algorithms/all_pairs.hpp"
#include "coll/protocol/strided.hpp"

namespace oshen::coll {

// Rounds that have a step of the cells each.
inline constexpr int rounds_together = 28;

// Calls `exchange(to, from, step)` for every other PE, one further round the team in each round. So partners change,
// and a cell may be used again only when nobody is still in the round that used it: after so many rounds all meet.
template <class Protocol, class Exchange>
void for_pairs(const task& job, Protocol& protocol, Exchange exchange) {
  team& t = job.members;
  for (int round = 1; round < t.n_pes; ++round) {
    const int step = (round - 1) % rounds_together;
    if (step == 0 && round > 1) {
      protocol.settle();
      sync_team(t, job.routine);
    }
    exchange(after(t, round), after(t, t.n_pes - round), step);
  }
}

// The block of PE `pe` in an array with one for each.
inline std::size_t block_at(const task& job, int pe) { return static_cast<std::size_t>(pe) * job.bytes(); }

// The blocks of this PE: `source(pe)` goes to `dest(me())` on PE `pe`. Those of alltoalls lie a stride apart, and their
// elements too; in alltoall the strides are 1.
struct own_blocks {
  const task& job;

  int me() const { return job.members.my_pe; }
  const char* source(int pe) const {
    return job.source + block_at(job, pe) * static_cast<std::size_t>(job.source_stride);
  }
  char* dest(int pe) const { return job.dest + block_at(job, pe) * static_cast<std::size_t>(job.dest_stride); }

  // The block for PE `pe`.
  void copy(int pe, char* to) const {
    copy_elements(to, source(pe), job.dest_stride, job.source_stride, job.elements, job.element_bytes);
  }
  void copy_own() const { copy(me(), dest(me())); }
};

// The same over one protocol, so that a schedule is written once for both: in alltoall a block goes in one piece ...
template <class Protocol>
struct whole_blocks : own_blocks {
  static constexpr const char* traffic = "n (n - 1) messages; n (n - 1) b";
  static double cost(const setting& s, double steps) { return all_pairs_cost<Protocol>(s, steps); }
  static double cost_at_once(const setting& s) { return all_at_once_cost<Protocol>(s); }

  Protocol& protocol;

  void send(int pe, int step) const { protocol.send(pe, step, source(pe), dest(me()), job.bytes()); }
  void receive(int pe, int step) const { protocol.receive(pe, step, dest(pe), job.bytes()); }
  void deposit(int pe) const { protocol.deposit(pe, source(pe), dest(me()), job.bytes()); }
  void accept(int pe) const { protocol.accept(pe, source(me()), dest(pe), job.bytes()); }
};

// ... and in alltoalls by elements, each of which costs about as much as a line.
template <class Protocol>
struct strided_blocks : own_blocks {
  static constexpr const char* traffic = Protocol::how == design::two_sided
                                             ? "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b"
                                             : "n (n - 1) messages; n (n - 1) b";
  static double cost(const setting& s, double steps) { return all_pairs_cost<Protocol>(s, steps, 20); }
  static double cost_at_once(const setting& s) { return cost(s, 1) + 60.0 * s.n_pes; }

  Protocol& protocol;

  void send(int pe, int step) const { protocol.send_elements(pe, step, source(pe), dest(me()), job.elements); }
  void receive(int pe, int step) const { protocol.receive_elements(pe, step, dest(pe), job.elements); }
  void deposit(int pe) const { protocol.deposit_elements(pe, source(pe), dest(me()), job.elements); }
  void accept(int pe) const { protocol.accept_elements(pe, source(me()), dest(pe), job.elements); }
};

// The rows of a schedule over one kind of blocks.
template <template <class, template <class> class> class Schedule, template <class> class Blocks>
consteval protocol_rows block_rows(kind collective) {
  return {row_of<Schedule<put_protocol, Blocks>, put_protocol>(collective),
          row_of<Schedule<message_protocol, Blocks>, message_protocol>(collective),
          row_of<Schedule<pull_protocol, Blocks>, pull_protocol>(collective)};
}

}  // namespace oshen::coll
