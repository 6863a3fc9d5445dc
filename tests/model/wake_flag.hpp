// The wake flag of src/wait/wake.*, for models that sleep.
#pragma once

#include "machine.hpp"

namespace oshen::model {

struct wakeup {
  int memory;  // words of memory
  int flags;
  int wakes;
};

// The watched memory: a word of the model, or everything.
inline constexpr int nothing = 0, everything = 100;
inline int watch_of(int word) { return word + 1; }
inline int join(int a, int b) { return a == b || b == nothing ? a : a == nothing ? b : everything; }

// ---- the writer -----------------------------------------------------------------------------------------------

inline void take_and_wake(cpu& c, int word, wakeup b) {
  if (c.exchange(word, nothing) == nothing) return;
  c.add(b.wakes, 1);
  c.wake(b.wakes);
}
// wake(): after a store to a flag.
inline void wake(cpu& c, wakeup b) {
  if (c.load(b.flags) != nothing) take_and_wake(c, b.flags, b);
}
// The same after a store to the word `written` of the program's memory.
inline void wake(cpu& c, wakeup b, int written) {
  if (c.load(b.memory) == nothing) return;
  const int watched = c.load(b.memory);
  if (watched == everything || watched == watch_of(written)) take_and_wake(c, b.memory, b);
}

// ---- the waiter -----------------------------------------------------------------------------------------------

// A PE of one thread. `memory`: the word that it watches; -1: flags.
class sleeper {
 public:
  explicit sleeper(wakeup b, int memory = -1) : wakeup_(b), memory_(memory) {}

  // Needs no remote barrier if writers execute a fence.
  void announce(cpu& c, bool remote_barrier = true) {
    if (announced_ && c.load(wakeup_.wakes) == wakes_seen_) return;
    wakes_seen_ = c.load(wakeup_.wakes);
    c.exchange(wakeup_.memory, memory_ < 0 ? nothing : watch_of(memory_));
    c.exchange(wakeup_.flags, memory_ < 0 ? everything : nothing);
    announced_ = true;
    if (remote_barrier) c.remote_barrier();
  }
  void sleep(cpu& c) const { c.sleep(wakeup_.wakes, wakes_seen_); }

 private:
  wakeup wakeup_;
  int memory_;
  int wakes_seen_ = 0;
  bool announced_ = false;
};

// wait_long() for flags, without the stages that only spend time.
template <class Ready>
void wait_for(cpu& c, wakeup b, Ready ready, bool remote_barrier = true) {
  sleeper s(b);
  while (!ready()) {
    s.announce(c, remote_barrier);
    if (ready()) return;
    s.sleep(c);
  }
}

}  // namespace oshen::model
