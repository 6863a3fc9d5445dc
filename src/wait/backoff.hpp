// Waiting for other PEs (design/waiting.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/clock.hpp"
#include "wait/network_turns.hpp"
#include "wait/wake.hpp"

namespace oshen {

// The object of a wait: a flag of the library, or an object or a signal of the program.
enum class awaited : std::uint8_t { flag, object, signal };

// Describes a wait: its text in messages, and the events that may end it.
struct wait_info {
  const char* routine;
  int pe = -1;                    // the awaited PE; -1: any
  const void* address = nullptr;  // the awaited object, at the program's address
  const char* relation = "";      // "==", ">=" ...
  long long wanted = 0;
  const void* object = nullptr;  // its address in this PE's slice, where other PEs write it
  std::size_t bytes = 0;         // size of that object; 0: the wait is for flags of the library
  awaited what = awaited::flag;
  bool is_far = false;   // only the network can end the wait
  bool works = false;    // the test does work of its own, and may wait itself
  bool retries = false;  // the wait is for room in a transport, which does not signal when there is room
};

// Hands over the CPU (sched_yield).
void yield_to_others();

// The long part of a wait: spin, then hand over the CPU, then sleep.
class backoff {
 public:
  backoff(world& w, const wait_info& info) : world_(w), info_(info), sleeper_(w, info.object, info.bytes) {}
  ~backoff();
  backoff(const backoff&) = delete;
  backoff& operator=(const backoff&) = delete;

  // Waits for a moment without sleeping; false when it is time to sleep.
  bool spin();
  // Announces a sleep. The caller must test once more before it sleeps.
  void announce();
  // To be called after announce(). True if non-blocking collectives advanced, so that the caller must not sleep yet.
  bool served_others() { return advance_background(true); }
  void sleep();

 private:
  void begin(std::uint64_t now);
  void leave();
  bool is_turn_of_network(std::uint64_t now);
  void hide_arrivals();
  void show_arrivals();
  void restart(std::uint64_t now);
  void stay_awake_longer();
  bool is_contested(std::uint64_t now);
  // The origin of the event that can end this wait.
  enum class origin : std::uint8_t { memory, network, anything };
  origin ended_by() const;
  bool sleep_with_network();
  std::uint64_t first_nap() const;
  bool advance_background(bool thorough);
  void look_around(std::uint64_t now);
  void look_at_peers();
  void look_at_network();
  void leave_if_ending() const;
  void let_launcher_end() const;
  void describe();
  void warn(std::uint64_t waited);

  world& world_;
  const wait_info& info_;
  sleeper sleeper_;
  bool woken_ = false;       // a wake-up ended the last sleep
  bool had_polled_ = false;  // the last sleep was in the transport's descriptor
  bool is_poller_ = false;   // this thread is the PE's blocking poller
  bool woken_in_vain_ = false;
  bool hides_ = false;  // arrivals from a thread that blocks in the transport's descriptor
  int next_peer_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t last_test_ = 0;
  std::uint64_t awake_since_ = 0;  // start of the stages before sleep
  std::uint64_t spin_ns_ = 0;      // lengths of these stages
  std::uint64_t yield_ns_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t next_warning_ = 0;
  std::uint64_t nap_ns_ = 0;
  network_turns turns_;
  bool described_ = false;
  quiescence_state::waiter waiter_;
};

template <class Ready>
[[gnu::noinline, gnu::cold]] void wait_long(world& w, const wait_info& info, Ready ready) {
  // Writes of far PEs arrive by progress only, and a test makes no progress.
  for (unsigned left = w.is_near(info.pe) ? w.waiting.near_tests : 0; left > 0; --left) {
    if (ready()) return;
    os::rest();
  }
  // With hundreds of PEs on a CPU every time slice begins with cold caches, so these rounds touch little memory.
  for (unsigned turn = 0; turn < w.waiting.quick_yields && w.background.n_open.load(std::memory_order_relaxed) == 0;
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

// Returns when `ready()` is true. `ready` must read data of other PEs with acquire order.
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

// True if a failed test hands over the CPU or makes progress, because the awaited PE may need it.
inline bool gives_way(const world& w) { return w.waiting.tests_give_way; }

// To be called after a failed test of `address`, which found the value `found`; the program will test again.
inline void give_way(world& w, const void* address, std::uint64_t found) {
  if (gives_way(w)) [[unlikely]]
    looked_in_vain(w, address, found);
}

// To be called after the program has fetched `value` from this PE's own `address`. If it fetches the same value again,
// it waits by fetching.
inline void give_way_if_same(world& w, const void* address, std::uint64_t value) {
  if (gives_way(w)) [[unlikely]]
    fetched(w, address, value);
}

// To be called after a successful test, if later failed tests may find the same value as before.
inline void give_way_no_more(const world& w) {
  if (gives_way(w)) [[unlikely]]
    looked_with_success();
}

}  // namespace oshen
