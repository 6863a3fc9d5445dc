// The cells of the present collective (control.hpp): counted flags from one PE to one PE, step by step.
#pragma once

#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {

class cells {
 public:
  explicit cells(const task& job) : job_(job), t_(job.members), base_(t_.collectives << flag_shift) {
    t_.used_workspace = true;
  }

  cell& own(int step) const { return t_.own_workspace().cells[line_of(t_)][step]; }

  // Bytes beside the flag of the step, on PE `pe`.
  void write_payload(int pe, int step, const void* from, std::size_t bytes) const {
    if (bytes != 0) copy_to(t_, pe, own(step).payload, from, bytes);
  }

  // The `count`th message of the step has come to PE `pe` ...
  void raise(int pe, int step, std::uint64_t count, std::size_t payload = 0) const {
    observe(t_, event::flag, pe, payload);
    set_word(t_, pe, own(step).flag, base_ + count);
  }
  // ... and here, from PE `pe`.
  void await_flag(int pe, int step, std::uint64_t count) const { await_count(own(step).flag, pe, base_ + count); }

  // Tells PE `pe` how many of its messages of the step are taken, or may come.
  void give_credit(int pe, int step, std::uint64_t count) const {
    observe(t_, event::flag, pe, 0);
    set_word(t_, pe, own(step).credit, base_ + count);
  }
  void await_credit(int pe, int step, std::uint64_t count) const { await_count(own(step).credit, pe, base_ + count); }

  // One more of many has come to PE `pe`.
  void add_deposit(int pe) const {
    observe(t_, event::flag, pe, 0);
    add_to_word(t_, pe, own(deposit_step).deposits, 1);
  }
  // Waits until `count` more than ever before have come here.
  void await_deposits(std::uint64_t count) const {
    if (count == 0) return;
    cell& mine = own(deposit_step);
    mine.deposits_seen += count;
    await_count(mine.deposits, -1, mine.deposits_seen);
  }

 private:
  static constexpr int deposit_step = collective_steps - 1;

  void await_count(const std::atomic<std::uint64_t>& word, int pe, std::uint64_t wanted) const {
    if (word.load(std::memory_order_acquire) < wanted) {
      const wait_info info{.routine = job_.routine, .pe = pe < 0 ? -1 : t_.world_pe(pe)};
      wait_for(*t_.home, info, [&] { return word.load(std::memory_order_acquire) >= wanted; });
    }
    observe(t_, event::heard, pe);
  }

  const task& job_;
  team& t_;
  std::uint64_t base_;
};

// Private memory of the team, at least `bytes`; what it held is lost.
char* scratch_of(team& t, std::size_t bytes, const char* routine);

// into = into op from, or from op into: `theirs_first` keeps the order of PE numbers.
void combine_in_order(const task& job, char* into, const char* from, std::size_t elements, bool theirs_first);

}  // namespace oshen::coll
