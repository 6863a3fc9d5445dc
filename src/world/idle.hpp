// Waiting for another PE, and waking one (design/waiting.md).
#pragma once

#include <cstdint>

#include "os/clock.hpp"
#include "world/world.hpp"

namespace oshen {

// What a waiter says about itself if the wait becomes long.
struct wait_note {
  const char* routine;
  int pe = -1;                    // who is waited for; -1: anybody
  const void* address = nullptr;  // what is watched
  const char* relation = "";      // "==", ">=" ...
  long long wanted = 0;
};

// Publishes that this PE sleeps, and returns the value at which its doorbell may be slept on. The caller must test once
// more before it sleeps.
std::uint32_t announce_sleep(world& w);

// The long part of a wait: spin, then hand over the CPU, then sleep.
class patience {
 public:
  patience(world& w, const wait_note& note) : world_(w), note_(note) {}
  ~patience();
  patience(const patience&) = delete;
  patience& operator=(const patience&) = delete;

  // A while without sleeping; false when it is time to sleep.
  bool spin();
  // After announce_sleep(): non-blocking collectives that could go on have gone on, so the caller must not sleep yet.
  bool served_others() { return advance_background(true); }
  void sleep(std::uint32_t ring);

 private:
  bool advance_background(bool thorough);
  void look_around(std::uint64_t now);
  void describe();

  world& world_;
  const wait_note& note_;
  std::uint64_t began_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t next_warning_ = 0;
  std::uint64_t nap_ns_ = 0;
  int next_peer_ = 0;
  bool described_ = false;
};

template <class Ready>
[[gnu::noinline, gnu::cold]] void wait_long(world& w, const wait_note& note, Ready ready) {
  patience p(w, note);
  while (!ready()) {
    if (p.spin()) continue;
    const std::uint32_t ring = announce_sleep(w);
    if (ready()) return;
    if (!p.served_others()) p.sleep(ring);
  }
}

// Returns when `ready()` is true. `ready` reads with acquire order what other PEs write.
template <class Ready>
inline void wait_for(world& w, const wait_note& note, Ready ready) {
  for (unsigned i = 0; i < w.waiting.quick_tests; ++i) {
    if (ready()) return;
    os::pause();  // a poller without rest steals the line from the writer
  }
  wait_long(w, note, ready);
}

// Out of line: somebody sleeps at this bell.
void ring_now(doorbell& bell);

// After a store that a PE may wait for. The waiter's remote barrier makes this plain load enough.
[[gnu::always_inline]] inline void ring(doorbell& bell) {
  asm volatile("" ::: "memory");  // the store before must not move below the look
  if (bell.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]] ring_now(bell);
}

// For stores that any PE of the team may wait for.
inline void ring_all(const team& t) {
  for (int i = 0; i < t.n_pes; ++i)
    ring(byte_offset(t.reach.control, t.reach.hop_to(static_cast<std::uint32_t>(i)))->bell);
}

}  // namespace oshen
