// Programs that wait by testing (declared in wait/backoff.hpp): after a failed test the thread gives way to other PEs.
#include <shmem.h>

#include <algorithm>

#include "os/process.hpp"
#include "wait/backoff.hpp"
#include "wait/network_turns.hpp"
#include "wait/progress.hpp"
#include "wait/watched_lines.hpp"
#include "world/team_heap.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t unnoticed_ns = 5000;    // a shorter time between two tests is not looked at
constexpr std::uint64_t other_work_ns = 20000;  // of CPU between two tests: more than yields and cold caches take
constexpr std::uint64_t longest_rest_ns = 1000000;
constexpr std::uint64_t part_of_wait = 8;

// Consecutive tests of one object by one thread that found the same value.
struct failed_tests {
  const void* object = nullptr;
  std::uint64_t found = 0;
  std::uint64_t began = 0;
  std::uint64_t watched_since =
      0;                      // from then on the thread has done nothing else; 0: it is not watched, which is cheaper
  std::uint64_t ended = 0;    // time of the last test that was watched
  os::thread_use use_then{};  // of this thread, at that time
};
thread_local failed_tests tests;
thread_local network_turns turns;  // of tests of any object

bool same_as_before(const void* object, std::uint64_t found) {
  if (object == tests.object && found == tests.found) return true;
  tests = {.object = object, .found = found};
  return false;
}

// The program may yield between two tests, and another process then has the CPU for a while. That is no work.
bool has_worked(std::uint64_t now) {
  if (tests.watched_since == 0 || now - tests.ended <= unnoticed_ns) return false;
  const os::thread_use use = os::own_use();
  return use.cpu_ns - tests.use_then.cpu_ns > other_work_ns || use.blocks != tests.use_then.blocks;
}

// Only the network can write to this PE's memory.
bool has_no_local_writer(const world& w) { return w.near.n_pes == 1 && w.thread_level < SHMEM_THREAD_MULTIPLE; }

// True if a writer or the network has woken this PE. The caller has not tested since the announcement, so a write just
// before it may be seen only after the sleep, which is short.
bool sleep_until_written(world& w, std::uint64_t at_most_ns) {
  if (w.beyond != nullptr && has_no_local_writer(w) && become_poller(*w.beyond)) {
    const bool woken = advance_network(w) || poll_blocking(*w.beyond, at_most_ns);
    stop_polling(*w.beyond);
    return woken;
  }
  sleeper s(w, &w.own_control().wakeup, watched_lines::all_memory);
  s.announce();
  if (w.beyond != nullptr) begin_sleep(*w.beyond);
  const bool woken = s.sleep(at_most_ns);
  if (w.beyond != nullptr) end_sleep(*w.beyond);
  return woken;
}

void begin_anew(std::uint64_t now) { tests.began = now, tests.watched_since = 0; }

// The program may also test other objects, so a sleep lasts for at most a fraction of the time waited so far. If the
// program hands over the CPU for longer between two tests, it may sleep for as long.
std::uint64_t longest_sleep(std::uint64_t now) {
  return std::min((now - tests.began) / part_of_wait, std::max(now - tests.ended, longest_rest_ns));
}

// Rests as a wait does: makes progress, yields, and later sleeps until a peer writes here. Most waits end before half
// of the yield stage is over, and asking the kernel for this thread's CPU time costs as much as a yield. So that is
// done in the other half.
void rest(world& w, unsigned tests_for_each_call) {
  const std::uint64_t now = os::now_ns(), half = w.waiting.yield_ns / 2;
  if (tests.began == 0 || has_worked(now)) begin_anew(now);
  if (w.beyond != nullptr && turns.is_next(tests_for_each_call, now, w.waiting.without_network_ns) &&
      advance_network(w)) {
    turns.go_on();
    begin_anew(now);  // more data may follow
  } else if (tests.watched_since == 0 || now - tests.watched_since < half) {
    os::yield();
  } else if (sleep_until_written(w, longest_sleep(now))) {
    begin_anew(now);  // if this wake-up was futile, stay awake for a while
  }
  if (w.waiting.cpu_for_each || now - tests.began < half) return;
  if (tests.watched_since == 0) tests.watched_since = now;
  tests.ended = os::now_ns();
  tests.use_then = os::own_use();
}

}  // namespace

void yield_to_others() { os::yield(); }

void looked_in_vain(world& w, const void* address, std::uint64_t found) {
  static_cast<void>(same_as_before(address, found));
  rest(w, is_in_card_heap(w, address) ? w.waiting.tests_of_card_objects : w.waiting.tests_of_objects);
}

void fetched(world& w, const void* address, std::uint64_t value) {
  if (!same_as_before(address, value)) return;
  // The object may be a signal.
  rest(w, is_in_card_heap(w, address) ? w.waiting.tests_of_card_objects : w.waiting.tests_of_signals);
}

void looked_with_success() { tests = {}; }

}  // namespace oshen
