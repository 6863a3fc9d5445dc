#include "wait/backoff.hpp"

#include <shmem.h>
#include <stdio.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "wait/liveness.hpp"
#include "wait/peer_report.hpp"
#include "wait/progress.hpp"
#include "wait/quiescence.hpp"
#include "wait/watched_lines.hpp"
#include "world/current.hpp"
#include "world/network.hpp"
#include "world/performance.hpp"
#include "world/team_heap.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr std::uint64_t launcher_ns = second / 10;
constexpr int looks_for_launcher = 10;
constexpr int pauses_per_look = 4;
constexpr std::uint64_t first_retry_ns = 100000;  // of an operation that the transport refused
constexpr std::uint64_t unnoticed_ns = 300000;    // a longer gap between tests means that another process ran
constexpr std::uint64_t shortest_view_ns = second / 100;
constexpr std::uint64_t contested_ns = second / 10;
constexpr int small_job = 64;      // on a host with at most this many PEs, each PE looks at all others at once
constexpr int peers_per_look = 8;  // on a host with more

void describe_wait(const wait_info& info, const world& w, char* text, std::size_t room) {
  int length = snprintf(text, room, "%s: waiting", info.routine);
  if (info.pe >= 0) length += snprintf(text + length, room - static_cast<std::size_t>(length), " for PE %d", info.pe);
  if (info.address == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(info.address);
  const context& c = w.default_context;
  const bool in_heap = address - c.heap_start < c.heap_bytes;
  snprintf(text + length, room - static_cast<std::size_t>(length), " on %p (%s + %zu) to be %s %lld", info.address,
           in_heap ? "heap" : "static data",
           static_cast<std::size_t>(in_heap ? address - c.heap_start : address - c.data_start), info.relation,
           info.wanted);
}

// True if this thread was ready, but without a CPU, for more than a quarter of the time since the last call. Calls
// within a hundredth of a second return false: short waits for a CPU are normal.
bool lacks_cpu(std::uint64_t now) {
  thread_local struct {
    std::uint64_t asked, waited;
  } before;
  std::uint64_t waited = 0;
  if (now - before.asked < shortest_view_ns) return false;
  if (!os::waited_for_cpu(waited)) return true;
  const bool often = (waited - before.waited) * 4 > now - before.asked;
  before = {.asked = now, .waited = waited};
  return often;
}

}  // namespace

backoff::~backoff() {
  if (is_poller_ || hides_ || described_) [[unlikely]]
    leave();
}

void backoff::leave() {
  if (hides_) show_arrivals();
  if (is_poller_) stop_polling(*world_.beyond);
  if (!described_) return;
  leave_wait(world_, waiter_);
  os::locked hold(world_.activity_lock);
  post(world_.own_control().doing, "", 0);
  if (bootstrap::activity* shown = world_.launcher->own_activity()) post(*shown, "", 0);
}

void backoff::begin(std::uint64_t now) {
  if (performance* p = world_.counting.load(std::memory_order_relaxed); p != nullptr) ++p->waits;
  began_ = awake_since_ = now;
  next_look_ = now + world_.waiting.look_every_ns;
  next_warning_ = now + world_.config.wait_warn_seconds * second;
  nap_ns_ = first_nap();
  spin_ns_ = world_.waiting.spin_ns;
  yield_ns_ = world_.waiting.yield_ns;
  if (world_.waiting.hides_arrivals) hide_arrivals();
}

// Begins the stages anew after a wake-up that did not end the wait.
void backoff::restart(std::uint64_t now) {
  woken_ = false;
  awake_since_ = now;
  nap_ns_ = first_nap();
  woken_in_vain_ = woken_in_vain_ || !had_polled_;  // a poller is woken by the kernel, at no PE's cost
  stay_awake_longer();
  if (world_.waiting.hides_arrivals) hide_arrivals();
}

// A peer writes here repeatedly, and each futile wake-up costs it more than this PE saves by sleeping. So this PE stays
// awake twice as long each time.
void backoff::stay_awake_longer() {
  if (spin_ns_ + yield_ns_ >= world_.waiting.longest_awake_ns) return;
  spin_ns_ *= 2;
  yield_ns_ *= 2;
}

// A spinning PE with a CPU of its own reads the clock all the time. A long gap means that another process had the CPU,
// or that a call of the transport took that long; the kernel can tell. On a contested CPU it is better to sleep at once
// than to spin: the CPU time is saved for the arrival of data, and the scheduler prefers a thread that has slept.
bool backoff::is_contested(std::uint64_t now) {
  if (!world_.waiting.cpu_for_each) return false;
  if (last_test_ != 0 && now - last_test_ > unnoticed_ns && lacks_cpu(now))
    world_.contested_until.store(now + contested_ns, std::memory_order_relaxed);
  last_test_ = now;
  return now < world_.contested_until.load(std::memory_order_relaxed);
}

// Where a card moves what the wait is for, most tests need no call of the network. Some do: requests of other PEs and
// deferred operations of this one still need the CPU.
bool backoff::is_turn_of_network(std::uint64_t now) {
  if (info_.what == awaited::flag) return true;
  const wait_policy& waiting = world_.waiting;
  unsigned tests = info_.what == awaited::signal ? waiting.tests_of_signals : waiting.tests_of_objects;
  if (is_in_card_heap(world_, info_.object)) tests = waiting.tests_of_card_objects;
  return turns_.is_next(tests, now, waiting.without_network_ns);
}

// After a pause, the network's threads of this PE and of the awaited one block. The latter may be queued on this CPU.
[[gnu::noinline]] void backoff::hide_arrivals() {
  hides_ = oshen::hide_arrivals(*world_.beyond);
  if (hides_) yield_ns_ += std::exchange(spin_ns_, 0);
}

void backoff::show_arrivals() {
  hides_ = false;
  oshen::show_arrivals(*world_.beyond);
}

bool backoff::spin() {
  const std::uint64_t now = os::now_ns();
  if (began_ == 0) begin(now);
  if (woken_) restart(now);
  if (world_.beyond != nullptr && is_turn_of_network(now) && advance_network(world_)) {
    turns_.go_on();
    last_test_ = 0;      // progress took time, which is no sign of another process
    awake_since_ = now;  // more data may follow
    return true;
  }
  if (advance_background(false)) return true;
  if (!woken_in_vain_ && is_contested(now)) return false;
  const std::uint64_t awake = now - awake_since_;
  if (awake < spin_ns_) {
    for (int i = 0; i < pauses_per_look; ++i) os::pause();
    return true;
  }
  if (awake < spin_ns_ + yield_ns_) {
    os::yield();
    return true;
  }
  return false;
}

bool backoff::advance_background(bool thorough) {
  return world_.background.n_open.load(std::memory_order_acquire) != 0 && world_.background.advance(world_, thorough);
}

std::uint64_t backoff::first_nap() const { return info_.retries ? first_retry_ns : world_.waiting.first_sleep_ns; }

backoff::origin backoff::ended_by() const {
  if (info_.works || world_.background.n_open.load(std::memory_order_acquire) != 0) return origin::anything;
  if (info_.is_far) return origin::network;
  if (info_.pe >= 0 && info_.pe != world_.pe) return world_.is_near(info_.pe) ? origin::memory : origin::network;
  const bool no_local_writer = world_.near.n_pes == 1 && world_.thread_level < SHMEM_THREAD_MULTIPLE;
  return no_local_writer ? origin::network : origin::anything;
}

// A wait that only the network can end blocks in the transport's descriptor, so that no thread has to wake it.
void backoff::announce() {
  if (hides_) show_arrivals();
  if (world_.beyond != nullptr && !is_poller_)
    is_poller_ = ended_by() == origin::network && become_poller(*world_.beyond);
  if (!is_poller_) sleeper_.announce();
}

bool backoff::sleep_with_network() {
  network& n = *world_.beyond;
  had_polled_ = is_poller_;
  if (is_poller_) {
    const bool woken = poll_blocking(n, nap_ns_);
    // A poller whose sleep timed out remains the poller: stopping wakes the network's own thread.
    is_poller_ = !woken && world_.background.n_open.load(std::memory_order_acquire) == 0;
    if (!is_poller_) stop_polling(n);
    return woken;
  }
  if (ended_by() == origin::memory) return sleeper_.sleep(nap_ns_);  // progress of the network can wait for a moment
  begin_sleep(n);
  const bool woken = sleeper_.sleep(nap_ns_);
  end_sleep(n);
  return woken;
}

void backoff::sleep() {
  if (performance* p = world_.counting.load(std::memory_order_relaxed); p != nullptr) ++p->sleeps;
  woken_ = world_.beyond != nullptr ? sleep_with_network() : sleeper_.sleep(nap_ns_);
  last_test_ = 0;
  if (!woken_ && nap_ns_ < world_.waiting.longest_sleep_ns) nap_ns_ *= 2;
  const std::uint64_t now = os::now_ns();
  if (now >= next_look_) look_around(now);
}

// ---- checks in a long wait ----------------------------------------------------------------------------------

// Checks for the end of the job, dead peers, and a deadlock; and prints a warning when it is due.
void backoff::look_around(std::uint64_t now) {
  next_look_ = now + world_.waiting.look_every_ns;
  leave_if_ending();
  if (const int status = failing_with.load(std::memory_order_relaxed); status != 0) os::leave_at_once(status);
  look_at_peers();
  look_at_network();
  if (!described_) describe();
  check_quiescence(world_, waiter_, now);
  const std::uint64_t waited = now - began_;
  if (world_.config.wait_warn_seconds != 0 && now >= next_warning_) {
    next_warning_ = now + (next_warning_ - began_);  // after 1, 2, 4 ... times the first delay
    if (!another_warns(world_, info_.routine)) warn(waited);
  }
  if (world_.config.wait_abort_seconds != 0 && waited >= world_.config.wait_abort_seconds * second) {
    log::error("%s: waited %u s (OSHEN_WAIT_ABORT); ending the job", info_.routine, world_.config.wait_abort_seconds);
    end_job(&world_, 1, false);
  }
}

void backoff::leave_if_ending() const {
  int exit_status = 0;
  if (world_.launcher->job_ending(exit_status)) os::leave_at_once(exit_status);
}

// Gives the launcher a moment to end the job, because it knows and reports why the peer has ended.
void backoff::let_launcher_end() const {
  for (int i = 0; i < looks_for_launcher; ++i) {
    leave_if_ending();
    os::nap(launcher_ns);
  }
}

// Each PE looks at a few peers at a time, beginning with its neighbour, so that the waiting PEs together see all peers.
// If each of a thousand PEs looked at all others, that would take all CPU time and much memory for page tables.
void backoff::look_at_peers() {
  const int near = world_.near.n_pes, looks = world_.pes_on_host <= small_job ? near : std::min(near, peers_per_look);
  for (int k = 0; k < looks; ++k) {
    next_peer_ = (next_peer_ + 1) % near;
    const int i = world_.near.pe_at((world_.near.mine + next_peer_) % near);
    if (i == world_.pe || !is_gone(world_, i)) continue;
    const control_page& peer = world_.control(i);
    if (peer.state.load(std::memory_order_acquire) != bootstrap::pe_state::joined) continue;
    let_launcher_end();
    log::error("%s: PE %d (pid %d) is gone without shmem_finalize; ending the job", info_.routine, i,
               peer.pid.load(std::memory_order_relaxed));
    end_job(&world_, 1, false);
  }
}

// A flag of a collective may be lost, which its sender would never learn while it waits for its own flags.
void backoff::look_at_network() {
  if (world_.beyond == nullptr || !world_.beyond->is_broken.load(std::memory_order_relaxed)) return;
  let_launcher_end();
  log::error("%s: transport %s: %s; ending the job", info_.routine, world_.beyond->endpoint.name(),
             world_.beyond->endpoint.explain());
  end_job(&world_, 1, false);
}

void backoff::warn(std::uint64_t waited) {
  char info[256], peers[700];
  describe_wait(info_, world_, info, sizeof info);
  list_peers(world_, peers, sizeof peers);
  log::error("%s, for %llu s now (%s)", info, static_cast<unsigned long long>(waited / second), peers);
}

// Publishes a description of this wait, for oshrun (--timeout) and for the reports of other PEs.
void backoff::describe() {
  described_ = true;
  enter_wait(world_, waiter_);
  char text[sizeof(bootstrap::activity::text)];
  describe_wait(info_, world_, text, sizeof text);
  os::locked hold(world_.activity_lock);
  post(world_.own_control().doing, text, began_);
  if (bootstrap::activity* shown = world_.launcher->own_activity()) post(*shown, text, began_);
}

}  // namespace oshen
