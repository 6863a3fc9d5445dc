// Operands that go round a team that spans nodes: chunks from each PE to the next one, into a buffer of the library
// there (operand_buffer in world/control.hpp). A peer's dest is no place for them: its program may still be reading
// what the collective before has left there.
#pragma once

#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

class operand_stream {
 public:
  // A PE sends at most so many chunks more than it has received in a call. Credits come for two chunks at a time, so
  // one of the four may be free without the sender knowing.
  static constexpr std::size_t most_ahead = operand_chunks - 1;

  explicit operand_stream(const collective_call& call)
      : call_(call), t_(call.members), mine_(t_.home->own_annex().operands[t_.slot]) {
    t_.operands_here = &mine_;
  }

  // Waits until there is room at the next PE. A non-blocking one leaves `from` as it is until settle().
  void send(const char* from, std::size_t bytes, op::completion_mode p);
  // Waits for the next chunk from the PE before. It stays until release().
  const char* receive();
  void release();
  // All bytes have left this PE's memory.
  void settle();

 private:
  int next() const { return after(t_, 1); }
  int before() const { return after(t_, t_.n_pes - 1); }

  const collective_call& call_;
  team& t_;
  operand_buffer& mine_;
  bool started_ = false;
};

// Before the last sync of a team: waits for the credits of the next PE, so that nothing is under way to this one.
void await_operand_credits(const team& t, const char* routine);
// After it: the next team of the slot begins to count at 0.
void clear_operand_counts(operand_buffer& used);

}  // namespace oshen::coll
