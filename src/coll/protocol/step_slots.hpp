// Step slots of the present collective (world/control.hpp): for each step a counted flag with a short payload, from one
// PE to one PE, and a counter of deposits, from several PEs to one.
#pragma once

#include "coll/call/sequence.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// Steps that folding uses (coll/algorithms/virtual_ranks.hpp).
inline constexpr int fold_step = 28, unfold_step = 29;

// The two directions of an exchange in which the receiver combines the incoming data. A PE of -1 means that there is
// nothing in that direction.
struct operand_to_send {
  int pe = -1;
  const char* from = nullptr;
  std::size_t elements = 0;
};
struct operand_to_combine {
  int pe = -1;
  char* into = nullptr;
  std::size_t elements = 0;
};

// The messages that this PE has sent, or received, in each step. Only the counts of used steps are ever written, so
// that a collective begins without clearing the others.
class step_counts {
 public:
  std::uint32_t so_far(int step) const { return is_used(step) ? counts_[step] : 0; }
  std::uint32_t next(int step) {
    const std::uint32_t count = so_far(step) + 1;
    used_ |= std::uint32_t{1} << step;
    return counts_[step] = count;
  }

 private:
  static_assert(collective_steps <= 32);
  bool is_used(int step) const { return (used_ >> step & 1) != 0; }

  std::uint32_t used_ = 0;
  std::uint32_t counts_[collective_steps];
};

class step_slots {
 public:
  explicit step_slots(const collective_call& call)
      : call_(call), t_(call.members), base_(t_.collectives << flag_shift) {
    t_.used_workspace = true;
  }

  step_slot& own(int step) const { return t_.own_workspace().step_slots[slot_index(t_)][step]; }

  // The buffer for the first message of the step, to or from PE `pe`, if that is short: the payload of the step slot,
  // or between nodes a part of the far payload. It is free at any time. Null: the message is too long for both.
  char* short_buffer(int pe, int step, std::size_t bytes) const;

  // ---- the sender of a step: each of these raises the flag of PE `pe` for the `count`th message of the step

  // The data goes into a short buffer.
  void raise_with_payload(int pe, int step, std::uint64_t count, const peer_copy& data) const {
    observe(t_, event::flag, pe, data.bytes);
    if (data.bytes == 0) return set_flag(t_, pe, own(step).flag, base_ + count);
    copy_and_set(t_, pe, data, {own(step).flag, base_ + count});
  }
  // The data goes into an object of the peer.
  void put_and_raise(int pe, int step, std::uint64_t count, const peer_copy& data) const {
    observe(t_, event::copy, pe, data.bytes);
    observe(t_, event::flag, pe, 0);
    copy_and_set(t_, pe, data, {own(step).flag, base_ + count});
  }
  // The same for a PE of another node, non-blocking: quiet_remote() completes it.
  void start_put_and_raise(int pe, int step, std::uint64_t count, const peer_copy& data) const {
    observe(t_, event::copy, pe, data.bytes);
    observe(t_, event::flag, pe, 0);
    start_put_and_set_remote(t_, pe, remote_update(t_, data, {own(step).flag, base_ + count}));
  }
  // The data has already been written.
  void raise(int pe, int step, std::uint64_t count, std::size_t payload = 0) const {
    observe(t_, event::flag, pe, payload);
    set_flag(t_, pe, own(step).flag, base_ + count);
  }
  // The first message of a step travels in the step slot if it is short; any other goes to the object `to` of PE `pe`.
  void send(int pe, int step, std::uint64_t count, const void* from, char* to, std::size_t bytes) const {
    if (count == 1 && bytes <= step_payload)
      raise_with_payload(pe, step, count, {own(step).payload, from, bytes});
    else
      put_and_raise(pe, step, count, {to, from, bytes});
  }

  // ---- the receiver of a step

  bool has_flag(int step, std::uint64_t count) const {
    return own(step).flag.load(std::memory_order_acquire) - (base_ + count) < of_one_collective - count;
  }
  void await_flag(int pe, int step, std::uint64_t count) const {
    await_count(own(step).flag, pe, base_ + count, of_one_collective - count);
  }
  void receive(int pe, int step, std::uint64_t count, char* to, std::size_t bytes) const {
    await_flag(pe, step, count);
    if (count == 1 && bytes != 0 && bytes <= step_payload) memcpy(to, own(step).payload, bytes);
  }

  // ---- credits: how many messages of a step the receiver has taken, or permits

  void give_credit(int pe, int step, std::uint64_t count) const {
    observe(t_, event::flag, pe, 0);
    set_flag(t_, pe, own(step).credit, base_ + count);
  }
  void await_credit(int pe, int step, std::uint64_t count) const {
    await_count(own(step).credit, pe, base_ + count, of_one_collective - count);
  }

  // ---- deposits: messages of several senders, which the receiver only counts

  void add_deposit(int pe) const {
    observe(t_, event::flag, pe, 0);
    add_to_counter(t_, pe, own(deposit_step).deposits, 1);
  }
  void deposit(int pe, const peer_copy& data) const {
    observe(t_, event::copy, pe, data.bytes);
    observe(t_, event::flag, pe, 0);
    copy_and_add(t_, pe, data, {own(deposit_step).deposits, 1});
  }
  // Waits for `count` more deposits than in all earlier waits. `pe` is their sender, or -1 if there are several.
  void await_deposits(std::uint64_t count, int pe = -1) const {
    if (count == 0) return;
    step_slot& mine = own(deposit_step);
    mine.deposits_seen += count;
    await_count(mine.deposits, pe, mine.deposits_seen, of_all_time);
  }

 private:
  static constexpr int deposit_step = collective_steps - 1;

  // Counts wrap, so they are not compared with "at least". A count has been reached if it is ahead of the wanted one by
  // less than the limit, that is, still within the same collective. A slot that was never used, with count 0, is not.
  static constexpr std::uint64_t of_one_collective = std::uint64_t{1} << flag_shift;
  static constexpr std::uint64_t of_all_time = std::uint64_t{1} << 63;

  void await_count(const std::atomic<std::uint64_t>& counter, int pe, std::uint64_t wanted, std::uint64_t limit) const {
    const auto is_reached = [&] { return counter.load(std::memory_order_acquire) - wanted < limit; };
    if (!is_reached()) {
      const wait_info info{.routine = call_.routine, .pe = pe < 0 ? -1 : t_.world_pe(pe)};
      wait_for(*t_.home, info, is_reached);
    }
    observe(t_, event::received, pe);
  }

  const collective_call& call_;
  team& t_;
  std::uint64_t base_;
};

// Private memory of the team, at least `bytes` long. Earlier contents are lost.
char* scratch_of(team& t, std::size_t bytes, const char* routine);

// into = into op from; with `theirs_first`, into = from op into. This keeps the operands in the order of PE numbers.
void combine_in_order(const collective_call& call, char* into, const char* from, std::size_t elements,
                      bool theirs_first);

}  // namespace oshen::coll
