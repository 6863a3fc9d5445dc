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

  // Where the first message of the step, from or to PE `pe`, lies if nobody has to make room for it: beside its flag,
  // or between nodes in the line of far payloads. Null: there is no such place.
  char* place_for(int pe, int step, std::size_t bytes) const;

  // The `count`th message of the step has come to PE `pe`: `bytes` bytes where there is place for them ...
  void raise_with_payload(int pe, int step, std::uint64_t count, char* place, const void* from,
                          std::size_t bytes) const {
    observe(t_, event::flag, pe, bytes);
    if (bytes == 0) return set_word(t_, pe, own(step).flag, base_ + count);
    copy_and_set(t_, pe, place, from, bytes, own(step).flag, base_ + count);
  }
  // ... or where they belong ...
  void raise_behind(int pe, int step, std::uint64_t count, char* to, const void* from, std::size_t bytes) const {
    observe(t_, event::copy, pe, bytes);
    observe(t_, event::flag, pe, 0);
    copy_and_set(t_, pe, to, from, bytes, own(step).flag, base_ + count);
  }
  // ... and, of another node, without waiting for them to leave: that is for quiet_remote() ...
  void start_raise_behind(int pe, int step, std::uint64_t count, char* to, const void* from, std::size_t bytes) const {
    observe(t_, event::copy, pe, bytes);
    observe(t_, event::flag, pe, 0);
    put_and_set_remote(t_, pe, to, from, bytes, own(step).flag, base_ + count, op::pace::non_blocking);
  }
  // ... or there already ...
  void raise(int pe, int step, std::uint64_t count, std::size_t payload = 0) const {
    observe(t_, event::flag, pe, payload);
    set_word(t_, pe, own(step).flag, base_ + count);
  }
  // ... and here, from PE `pe`.
  void await_flag(int pe, int step, std::uint64_t count) const { await_count(own(step).flag, pe, base_ + count); }

  // The `count`th message of the step: the first, where it is small, travels in the cell; else it goes to the object
  // `to` of PE `pe`.
  void send(int pe, int step, std::uint64_t count, const void* from, char* to, std::size_t bytes) const {
    auto* const payload = reinterpret_cast<char*>(own(step).payload);
    if (count == 1 && bytes <= cell_payload) raise_with_payload(pe, step, count, payload, from, bytes);
    else raise_behind(pe, step, count, to, from, bytes);
  }
  void receive(int pe, int step, std::uint64_t count, char* to, std::size_t bytes) const {
    await_flag(pe, step, count);
    if (count == 1 && bytes != 0 && bytes <= cell_payload) memcpy(to, own(step).payload, bytes);
  }

  // Tells PE `pe` how many of its messages of the step are taken, or may come.
  void give_credit(int pe, int step, std::uint64_t count) const {
    observe(t_, event::flag, pe, 0);
    set_word(t_, pe, own(step).credit, base_ + count);
  }
  void await_credit(int pe, int step, std::uint64_t count) const { await_count(own(step).credit, pe, base_ + count); }

  // One more of many has come to PE `pe` ...
  void add_deposit(int pe) const {
    observe(t_, event::flag, pe, 0);
    add_to_word(t_, pe, own(deposit_step).deposits, 1);
  }
  // ... with its bytes.
  void deposit(int pe, char* to, const void* from, std::size_t bytes) const {
    observe(t_, event::copy, pe, bytes);
    observe(t_, event::flag, pe, 0);
    copy_and_add(t_, pe, to, from, bytes, own(deposit_step).deposits, 1);
  }
  // Waits until `count` more than ever before have come here; from PE `pe`, or from anybody (-1).
  void await_deposits(std::uint64_t count, int pe = -1) const {
    if (count == 0) return;
    cell& mine = own(deposit_step);
    mine.deposits_seen += count;
    await_count(mine.deposits, pe, mine.deposits_seen);
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
