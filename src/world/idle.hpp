// Waiting for another PE (design/waiting.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/clock.hpp"
#include "world/wake.hpp"

namespace oshen {

// What a waiter says about itself if the wait becomes long, and what it wants to be woken for.
struct wait_info {
  const char* routine;
  int pe = -1;                    // who is waited for; -1: anybody
  const void* address = nullptr;  // what is watched, as the program calls it
  const char* relation = "";      // "==", ">=" ...
  long long wanted = 0;
  const void* memory = nullptr;   // the same in this PE's slice, where others write it ...
  std::size_t bytes = 0;          // ... and how much; 0: the wait is for flags of the library
  bool is_far = false;            // the wait is for the network alone, whoever is waited for
  bool works = false;             // its test does more than look, and may wait itself
  bool tries_again = false;       // for room in a transport: nobody says when there is some
};

// Hands over the CPU.
void yield_to_others();

// The long part of a wait: spin, then hand over the CPU, then sleep.
class backoff {
 public:
  backoff(world& w, const wait_info& info) : world_(w), info_(info), sleeper_(w, info.memory, info.bytes) {}
  ~backoff();
  backoff(const backoff&) = delete;
  backoff& operator=(const backoff&) = delete;

  // A while without sleeping; false when it is time to sleep.
  bool spin();
  // Time to sleep: the caller must test once more.
  void announce();
  // After announce(): non-blocking collectives that could go on have gone on, so the caller must not sleep yet.
  bool served_others() { return advance_background(true); }
  void sleep();

 private:
  void begin(std::uint64_t now);
  void get_up(std::uint64_t now);
  void stay_awake();
  bool is_contested(std::uint64_t now);
  // What can end this wait, as far as it is known.
  enum class origin : std::uint8_t { memory, network, anything };
  origin ended_by() const;
  bool sleep_beside_network();
  std::uint64_t first_nap() const;
  bool advance_background(bool thorough);
  void look_around(std::uint64_t now);
  void look_at_peers();
  void leave_if_ending() const;
  void leave_with_launcher() const;
  void describe();
  void speak(std::uint64_t waited);

  world& world_;
  const wait_info& info_;
  sleeper sleeper_;
  bool woken_ = false;            // the last sleep was ended by a wake ...
  bool was_seated_ = false;       // ... and was in the transport's descriptor
  bool is_seated_ = false;        // there, or about to sleep there
  bool rung_in_vain_ = false;
  std::uint64_t began_ = 0;
  std::uint64_t last_test_ = 0;
  std::uint64_t awake_since_ = 0; // the stages before sleep are counted from here ...
  std::uint64_t spin_ns_ = 0;     // ... and last so long
  std::uint64_t yield_ns_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t next_warning_ = 0;
  std::uint64_t nap_ns_ = 0;
  int next_peer_ = 0;
  bool described_ = false;
  quiescence_state::waiter waiter_;
};

template <class Ready>
[[gnu::noinline, gnu::cold]] void wait_long(world& w, const wait_info& info, Ready ready) {
  // What a far PE writes comes by progress, of which tests make none.
  for (unsigned left = w.is_near(info.pe) ? w.waiting.near_tests : 0; left > 0; --left) {
    if (ready()) return;
    os::rest();
  }
  // Where PEs share CPUs each turn finds its memory cold, once there are hundreds: the first ones touch as little as
  // can be.
  for (unsigned turn = 0; turn < w.waiting.quick_yields && w.background.open.load(std::memory_order_relaxed) == 0;
       ++turn) {
    if (ready()) return;
    yield_to_others();
  }
  backoff p(w, info);
  while (!ready()) {
    if (p.spin()) continue;
    p.announce();
    if (ready()) return;
    if (!p.served_others()) p.sleep();
  }
}

// Returns when `ready()` is true. `ready` reads with acquire order what other PEs write.
template <class Ready>
inline void wait_for(world& w, const wait_info& info, Ready ready) {
  for (unsigned i = 0; i < w.waiting.quick_tests; ++i) {
    if (ready()) return;
    os::rest();
  }
  wait_long(w, info, ready);
}

// ---- programs that wait by testing ------------------------------------------------------------------------

// Out of line: more PEs than CPUs, or several nodes.
void looked_in_vain(world& w, const void* address, std::uint64_t found);
void fetched(world& w, const void* address, std::uint64_t value);
void looked_with_success();

// Does who tests in vain hand over the CPU, or make progress? Whoever it waits for may need it.
inline bool gives_way(const world& w) { return w.waiting.tests_give_way; }

// A test of `address` was in vain, which has `found` there, and the program will test again.
inline void give_way(world& w, const void* address, std::uint64_t found) {
  if (gives_way(w)) [[unlikely]] looked_in_vain(w, address, found);
}

// The program has fetched this PE's own `address`. If it does so again and finds the same, it waits that way.
inline void give_way_if_same(world& w, const void* address, std::uint64_t value) {
  if (gives_way(w)) [[unlikely]] fetched(w, address, value);
}

// A test has had success where what it finds in vain does not tell so.
inline void give_way_no_more(const world& w) {
  if (gives_way(w)) [[unlikely]] looked_with_success();
}

}  // namespace oshen
