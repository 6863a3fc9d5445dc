// A modelled machine: threads over a few shared variables, with or without store buffers (the total store order of
// x86).
//
// A thread is an ordinary function of a `cpu`. The explorer runs it repeatedly. Each run replays the recorded results
// of the operations that the thread has done; the first operation after them is its next step. So a state is data that
// can be copied and compared, and a model reads like the code that it represents. The function only computes and calls
// its cpu. A function that loops for ever begins by reading the values that it kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace oshen::model {

enum class memory_order : std::uint8_t {
  sequential,  // every store is visible to all threads immediately
  buffered     // a store waits in its CPU's buffer, first in first out, until the explorer makes it visible
};

enum class action : std::uint8_t {
  load,
  is_least,
  store,
  add,
  exchange,
  compare_swap,  // operations that read and write are full fences
  until_least,
  until_equal,  // blocks until the word is at least, or equals, `value`
  take,         // a lock: blocks until the word is 0, then sets it to 1
  fence,
  drain_other,  // waits until the store buffer of thread `value` has been empty once
  sleep,        // futex: sleeps if the word is still `value`; ends when woken
  wake,         // wakes all threads that sleep on the word
  finished
};

struct operation {
  action what = action::finished;
  int at = 0;
  int value = 0;
  int expected = 0;
};

struct pending_store {
  int at;
  int value;
};

struct thread_state {
  std::vector<std::int16_t> kept;     // the values with which its function begins
  std::vector<std::int16_t> history;  // results of all operations since then
  std::vector<pending_store> buffer;
  operation next;
  int slept_on = -1;  // asleep on this word
};

struct machine_state {
  std::vector<std::int16_t> memory;
  std::vector<std::int16_t> notes;  // remarks of threads, which are not memory of the modelled program
  std::vector<thread_state> threads;
  std::string trouble;  // the reason of a failed check
};

// The operations of a thread's function. Other threads can run before each of them, except note(), noted() and check().
class cpu {
 public:
  cpu(machine_state& s, int thread, memory_order order) : state_(s), thread_(thread), order_(order) {}

  int load(int at) { return perform({action::load, at}); }
  bool is_least(int at, int value) { return perform({action::is_least, at, value}) != 0; }  // a load
  void store(int at, int value);
  int add(int at, int value) { return perform({action::add, at, value}); }  // returns the old value
  int exchange(int at, int value) { return perform({action::exchange, at, value}); }
  bool compare_swap(int at, int expected, int value) {
    return perform({action::compare_swap, at, value, expected}) == expected;
  }
  void until_least(int at, int value) { perform({action::until_least, at, value}); }
  void until_equal(int at, int value) { perform({action::until_equal, at, value}); }
  void take(int at) { perform({action::take, at, 1}); }
  void fence() { perform({action::fence}); }
  // membarrier(2): every other CPU executes a full fence at some moment during the call.
  void remote_barrier();
  void sleep(int at, int while_it_is) { perform({action::sleep, at, while_it_is}); }
  void wake(int at) { perform({action::wake, at}); }

  // Remarks of the model, made in one step with the operation before them.
  void note(int which, int value);
  int noted(int which);
  void check(bool holds, const char* what);

  // At the end of an iteration: the function begins again with `locals`, and its past operations are forgotten. States
  // that differ in their past only are then equal, so that an endless loop has few states.
  void keep(std::vector<std::int16_t> locals);
  // The values that the function has kept; empty at first.
  const std::vector<std::int16_t>& kept() { return self().kept; }

 private:
  int perform(operation op);
  thread_state& self() { return state_.threads[static_cast<std::size_t>(thread_)]; }
  bool replaying() { return at_ < self().history.size(); }
  int record(int result);

  machine_state& state_;
  int thread_;
  memory_order order_;
  std::size_t at_ = 0;
};

using thread_body = std::function<void(cpu&)>;

// A program to be explored.
struct program {
  int words = 0;  // of memory, all 0 at first
  int notes = 0;
  std::vector<thread_body> threads;
};

machine_state begin(const program& p, memory_order order);

// A possible next step: thread `thread` does its next operation, or its oldest buffered store becomes visible.
struct transition {
  int thread;
  bool flush;
};
std::vector<transition> possible(const machine_state& s);
void apply(const program& p, memory_order order, machine_state& s, transition t);
bool all_finished(const machine_state& s);

// A hash of a state with 128 bits, so that different states are practically never equal.
struct fingerprint {
  std::uint64_t a, b;
  bool operator==(const fingerprint&) const = default;
};
fingerprint fingerprint_of(const machine_state& s);

std::string describe(const machine_state& s, transition t);

}  // namespace oshen::model
