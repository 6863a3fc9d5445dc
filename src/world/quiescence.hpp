// Finds that a whole job can do nothing any more: every PE waits, every condition has been looked at since, and nothing
// has happened between. The protocol and its proof: design/waiting.md, "A deadlock of the whole job".
#pragma once

#include <cstdint>

#include "os/mutex.hpp"

namespace oshen {

struct world;

// What one PE knows of its own threads that wait.
struct quiescence_state {
  // A thread in a long wait; lives on its stack.
  struct waiter {
    int thread = 0;
    bool has_looked = false;
    waiter* next = nullptr;
  };

  os::mutex lock;
  waiter* waiters = nullptr;
  int helper = 0;             // the library's own thread, which counts only while it is a waiter
  std::uint32_t probe = 0;    // that is being answered
  int rounds = 0;             // in which every waiter has looked, since the probe was seen
  std::uint32_t streak = 0;   // probes answered in a row
  std::uint32_t wakes = 0;
  std::uint64_t moves = 0;
  // Of the PE that asks.
  std::uint64_t next_probe = 0;
  int answered = 0;           // PEs below this number have answered
};

// The calling thread is the library's own: it does nothing by itself while it is no waiter.
void help(world& w);

void enter_wait(world& w, quiescence_state::waiter& me);
void leave_wait(world& w, quiescence_state::waiter& me);

// `me` has tested its condition, after it had announced that it sleeps, at least once since it called before. Ends the
// job when nobody can go on.
void check_quiescence(world& w, quiescence_state::waiter& me, std::uint64_t now);

}  // namespace oshen
