// The cells of the present collective (control.hpp): counted flags from one PE to one PE, step by step.
#pragma once

#include "coll/reach.hpp"

namespace oshen::coll {

class cells {
 public:
  explicit cells(const task& job) : job_(job), t_(job.members), base_(t_.collectives << flag_shift) {
    t_.used_room = true;
  }

  cell& of(int pe, int step) const { return t_.room_of(pe).cells[line_of(t_)][step]; }
  cell& own(int step) const { return t_.own_room().cells[line_of(t_)][step]; }

  // The `count`th message of the step has come to PE `pe` ...
  void raise(int pe, int step, std::uint64_t count, std::size_t payload = 0) const {
    observe(t_, event::flag, pe, payload);
    of(pe, step).flag.store(base_ + count, std::memory_order_release);
    ring(bell_of(t_, pe));
  }
  // ... and here, from PE `pe`.
  void await_flag(int pe, int step, std::uint64_t count) const { await_count(own(step).flag, pe, base_ + count); }

  // Tells PE `pe` how many of its messages of the step are taken, or may come.
  void answer(int pe, int step, std::uint64_t count) const {
    observe(t_, event::flag, pe, 0);
    of(pe, step).answer.store(base_ + count, std::memory_order_release);
    ring(bell_of(t_, pe));
  }
  void await_answer(int pe, int step, std::uint64_t count) const { await_count(own(step).answer, pe, base_ + count); }

  // One more of many has come to PE `pe`.
  void add_deposit(int pe) const {
    observe(t_, event::flag, pe, 0);
    of(pe, deposit_step).deposits.fetch_add(1, std::memory_order_release);
    ring(bell_of(t_, pe));
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
      const wait_note note{.routine = job_.routine, .pe = pe < 0 ? -1 : t_.world_pe(pe)};
      wait_for(*t_.home, note, [&] { return word.load(std::memory_order_acquire) >= wanted; });
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
