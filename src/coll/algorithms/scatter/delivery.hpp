// The last step of a scatter over puts: a block goes from the root, or from the leader of a domain, to its PE. A short
// block travels in the step slot, and a long one is put into dest. A root whose own block is in place does not know the
// dest of the other PEs. It asks each of them before it puts a long block.
#pragma once

#include "coll/protocol/step_slots.hpp"

namespace oshen::coll {

class block_delivery {
 public:
  explicit block_delivery(const collective_call& call) : call_(call), t_(call.members), slots_(call) {}

  void give(int pe, const char* from, std::size_t bytes) {
    if (bytes <= step_payload)
      return slots_.raise_with_payload(pe, block_step, given, {slots_.own(block_step).payload, from, bytes});
    slots_.put_and_raise(pe, block_step, given, {call_.in_place ? ask_dest(pe) : call_.dest, from, bytes});
  }

  // Takes the block of this PE, which has call.bytes() bytes.
  void take(int giver) {
    slots_.await_flag(giver, block_step, asked);
    if (!slots_.has_flag(block_step, given)) {
      tell_dest(giver);
      slots_.await_flag(giver, block_step, given);
    }
    if (call_.bytes() != 0 && call_.bytes() <= step_payload)
      memcpy(call_.dest, slots_.own(block_step).payload, call_.bytes());
  }

 private:
  static constexpr int block_step = 2, dest_step = 3;
  static constexpr std::uint64_t asked = 1, given = 2;  // counts of the block step

  // The question has the number of the answer, since all answers use one step slot of the root.
  char* ask_dest(int pe) {
    ++n_asked_;
    send_number(pe, block_step, asked, n_asked_);
    slots_.await_flag(pe, dest_step, n_asked_);
    return object_at(t_, number_in(dest_step));
  }
  void tell_dest(int asker) { send_number(asker, dest_step, number_in(block_step), offset_in_slice(t_, call_.dest)); }

  void send_number(int pe, int step, std::uint64_t count, std::uint64_t number) const {
    slots_.raise_with_payload(pe, step, count, {slots_.own(step).payload, &number, sizeof number});
  }
  std::uint64_t number_in(int step) const {
    std::uint64_t number = 0;
    memcpy(&number, slots_.own(step).payload, sizeof number);
    return number;
  }

  const collective_call& call_;
  team& t_;
  step_slots slots_;
  std::uint64_t n_asked_ = 0;
};

}  // namespace oshen::coll
