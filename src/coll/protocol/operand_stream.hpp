// A stream of operands round a team that spans nodes. Each PE sends chunks to the next PE, into a buffer of the library
// there (operand_buffer in world/control.hpp). It does not use the peer's dest, because the peer's program may still be
// reading the result of the previous collective there.
#pragma once

#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

class operand_stream {
 public:
  // The number of chunks that a PE may send in a call beyond those that it has received.
  static constexpr std::size_t most_ahead = operand_chunks;

  explicit operand_stream(const collective_call& call)
      : call_(call), t_(call.members), mine_(t_.home->own_annex().operands(t_.home->n_team_slots, t_.slot)) {
    t_.operands_here = &mine_;
  }

  // Waits until there is room at the next PE. With a non-blocking mode, `from` must not change until settle().
  void send(const char* from, std::size_t bytes, op::completion_mode p);
  // Waits for the next chunk from the previous PE. It is valid until release().
  const char* receive();
  void release();
  // Waits until all bytes have left this PE's memory.
  void settle();

 private:
  int next() const { return after(t_, 1); }
  int before() const { return after(t_, t_.n_pes - 1); }

  const collective_call& call_;
  team& t_;
  operand_buffer& mine_;
  bool started_ = false;
};

// Waits for the credits of the next PE, so that none is under way to this PE. Called before the last sync of a team.
void await_operand_credits(const team& t, const char* routine);
// Called after that sync: the next team of the slot counts from 0.
void clear_operand_counts(operand_buffer& used);

}  // namespace oshen::coll
