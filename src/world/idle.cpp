#include "world/idle.hpp"

#include <shmem.h>
#include <stdio.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/process.hpp"
#include "world/peer_report.hpp"
#include "world/current.hpp"
#include "world/liveness.hpp"
#include "world/network.hpp"
#include "world/watch.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr std::uint64_t look_every = second / 10;
constexpr int looks_for_launcher = 10;
constexpr int pauses_per_look = 4;
constexpr std::uint64_t first_try_ns = 100000;     // again, of what nobody says when it can go on
constexpr std::uint64_t unnoticed_ns = 300000;     // of somebody else on this CPU: interrupts are shorter
constexpr std::uint64_t shortest_view_ns = second / 100;
constexpr std::uint64_t contested_ns = second / 10;
constexpr int small_job = 64, peers_per_look = 8;  // PEs that see all others in one look; how many the rest see

void describe_wait(const wait_info& info, const world& w, char* text, std::size_t room) {
  int length = snprintf(text, room, "%s: waiting", info.routine);
  if (info.pe >= 0)
    length += snprintf(text + length, room - static_cast<std::size_t>(length), " for PE %d", info.pe);
  if (info.address == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(info.address);
  const context& c = w.default_context;
  const bool in_heap = address - c.heap < c.heap_bytes;
  snprintf(text + length, room - static_cast<std::size_t>(length), " on %p (%s + %zu) to be %s %lld",
           info.address, in_heap ? "heap" : "static data",
           static_cast<std::size_t>(in_heap ? address - c.heap : address - c.data), info.relation,
           info.wanted);
}

// Has this thread been ready and without a CPU for a good part of the time since it asked last? Asked again too soon it
// has not: everybody has to wait for a CPU now and then.
bool goes_without_cpu(std::uint64_t now) {
  thread_local struct { std::uint64_t asked, waited; } before;
  std::uint64_t waited = 0;
  if (now - before.asked < shortest_view_ns) return false;
  if (!os::waited_for_cpu(waited)) return true;
  const bool often = (waited - before.waited) * 4 > now - before.asked;
  before = {.asked = now, .waited = waited};
  return often;
}

}  // namespace

backoff::~backoff() {
  if (is_seated_) leave_seat(*world_.beyond);
  if (!described_) return;
  leave_wait(world_, waiter_);
  os::locked hold(world_.speaking);
  post(world_.own_control().doing, "", 0);
  if (boot::activity* board = world_.launcher->own_activity()) post(*board, "", 0);
}

void backoff::begin(std::uint64_t now) {
  began_ = awake_since_ = now;
  next_look_ = now + look_every;
  next_warning_ = now + world_.config.wait_warn_seconds * second;
  nap_ns_ = first_nap();
  spin_ns_ = world_.waiting.spin_ns;
  yield_ns_ = world_.waiting.yield_ns;
}

void backoff::get_up(std::uint64_t now) {
  woken_ = false;
  awake_since_ = now;
  nap_ns_ = first_nap();
  rung_in_vain_ = rung_in_vain_ || !was_seated_;  // in the seat nobody was disturbed for it
  stay_awake();
}

// A wake was in vain: somebody writes here again and again, or reads from another node, and each wake, and each
// announcement, costs him more than the wait costs us. Stay awake, each time twice as long.
void backoff::stay_awake() {
  if (spin_ns_ + yield_ns_ >= world_.waiting.longest_awake_ns) return;
  spin_ns_ *= 2;
  yield_ns_ *= 2;
}

// While it spins a PE with a CPU of its own looks at the clock all the time. If it did not for long, another process
// had the CPU, unless a call of a transport took so long, which the kernel can tell. Then each turn at spinning or
// yielding is one that is not there when there is something to do: sleep at once, and be woken before those who have
// run longer.
bool backoff::is_contested(std::uint64_t now) {
  if (!world_.waiting.cpu_for_each) return false;
  if (last_test_ != 0 && now - last_test_ > unnoticed_ns && goes_without_cpu(now))
    world_.contested_until.store(now + contested_ns, std::memory_order_relaxed);
  last_test_ = now;
  return now < world_.contested_until.load(std::memory_order_relaxed);
}

bool backoff::spin() {
  const std::uint64_t now = os::now_ns();
  if (began_ == 0) begin(now);
  if (woken_) get_up(now);
  if (world_.beyond != nullptr && advance_network(world_)) {
    last_test_ = 0;  // what came in took its time ...
    awake_since_ = now;  // ... and more may follow
    return true;
  }
  if (advance_background(false)) return true;
  if (!rung_in_vain_ && is_contested(now)) return false;
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
  return world_.background.open.load(std::memory_order_acquire) != 0 && world_.background.advance(world_, thorough);
}

std::uint64_t backoff::first_nap() const { return info_.tries_again ? first_try_ns : world_.waiting.first_sleep_ns; }

backoff::origin backoff::ended_by() const {
  if (info_.works || world_.background.open.load(std::memory_order_acquire) != 0) return origin::anything;
  if (info_.is_far) return origin::network;
  if (info_.pe >= 0 && info_.pe != world_.pe) return world_.is_near(info_.pe) ? origin::memory : origin::network;
  const bool alone = world_.near.n_pes == 1 && world_.thread_level < SHMEM_THREAD_MULTIPLE;
  return alone ? origin::network : origin::anything;
}

// Who waits for the network alone sleeps in its descriptor, and needs nobody to wake it.
void backoff::announce() {
  if (world_.beyond != nullptr && !is_seated_)
    is_seated_ = ended_by() == origin::network && take_seat(*world_.beyond);
  if (!is_seated_) sleeper_.announce();
}

bool backoff::sleep_beside_network() {
  network& n = *world_.beyond;
  was_seated_ = is_seated_;
  if (is_seated_) {
    const bool woken = sleep_in_seat(n, nap_ns_);
    // Who looks round and sleeps on stays seated: leaving calls the network's own thread.
    is_seated_ = !woken && world_.background.open.load(std::memory_order_acquire) == 0;
    if (!is_seated_) leave_seat(n);
    return woken;
  }
  if (ended_by() == origin::memory) return sleeper_.sleep(nap_ns_);  // what else comes in can wait a moment
  need_progress(n);
  const bool woken = sleeper_.sleep(nap_ns_);
  need_no_progress(n);
  return woken;
}

void backoff::sleep() {
  woken_ = world_.beyond != nullptr ? sleep_beside_network() : sleeper_.sleep(nap_ns_);
  last_test_ = 0;
  if (!woken_ && nap_ns_ < world_.waiting.longest_sleep_ns) nap_ns_ *= 2;
  const std::uint64_t now = os::now_ns();
  if (now >= next_look_) look_around(now);
}

// ---- programs that wait by testing ------------------------------------------------------------------------

namespace {

constexpr std::uint64_t other_work_ns = 5000;  // between two looks: the program does more than look
constexpr std::uint64_t longest_rest_ns = 1000000;
constexpr std::uint64_t part_of_wait = 8;

// A thread of the program that looks at one thing again and again and finds the same.
struct vain_looks {
  const void* address = nullptr;
  std::uint64_t found = 0;
  std::uint64_t began = 0;
  std::uint64_t ended = 0;  // the last
};
thread_local vain_looks looks;

bool same_as_before(const void* address, std::uint64_t found) {
  if (address == looks.address && found == looks.found) return true;
  looks = {address, found, 0, 0};
  return false;
}

// As a wait does it: make progress; hand over the CPU, and after a while sleep, until somebody writes to this PE. The
// program may look for something else beside it, so no sleep makes the wait longer by more than a part.
void rest(world& w) {
  const std::uint64_t now = os::now_ns();
  if (now - looks.ended > other_work_ns) looks.began = now;
  const std::uint64_t waited = now - looks.began;
  if (w.beyond != nullptr) {
    if (!advance_network(w)) os::yield();
  } else if (waited < w.waiting.yield_ns) {
    os::yield();
  } else {
    sleeper s(w, &w.own_control().wakeup, watch::all_memory);
    s.announce();
    const bool woken = s.sleep(std::min(waited / part_of_wait, longest_rest_ns));
    if (woken) looks.began = now;  // in vain, or the next look finds something else
  }
  looks.ended = os::now_ns();
}

}  // namespace

void yield_to_others() { os::yield(); }

void looked_in_vain(world& w, const void* address, std::uint64_t found) {
  static_cast<void>(same_as_before(address, found));
  rest(w);
}

void fetched(world& w, const void* address, std::uint64_t value) {
  if (same_as_before(address, value)) rest(w);
}

void looked_with_success() { looks = {}; }

// ---- looking round in a long wait -------------------------------------------------------------------------

// Is the job ending, did a peer die, can anybody go on, is it time to speak?
void backoff::look_around(std::uint64_t now) {
  next_look_ = now + look_every;
  leave_if_ending();
  if (const int status = failing_with.load(std::memory_order_relaxed); status != 0) os::leave_at_once(status);
  look_at_peers();
  if (!described_) describe();
  check_quiescence(world_, waiter_, now);
  const std::uint64_t waited = now - began_;
  if (world_.config.wait_warn_seconds != 0 && now >= next_warning_) {
    next_warning_ = now + (next_warning_ - began_);  // after 1, 2, 4 ... times the first delay
    if (!another_speaks(world_, info_.routine)) speak(waited);
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

// A launcher that has seen the PE end knows why, and says so: it has a moment to do it.
void backoff::leave_with_launcher() const {
  for (int i = 0; i < looks_for_launcher; ++i) {
    leave_if_ending();
    os::nap(look_every);
  }
}

// A few at a time, each PE beginning elsewhere: together those who wait see all. A thousand PEs that each looked at
// all others would do nothing else, and every page of another PE costs memory for page tables.
void backoff::look_at_peers() {
  const int near = world_.near.n_pes, looks = near <= small_job ? near : peers_per_look;
  for (int k = 0; k < looks; ++k) {
    next_peer_ = (next_peer_ + 1) % near;
    const int i = world_.near.pe_at((world_.near.mine + next_peer_) % near);
    if (i == world_.pe || !is_gone(world_, i)) continue;
    const control_page& peer = world_.control(i);
    if (peer.state.load(std::memory_order_acquire) != boot::pe_state::joined) continue;
    leave_with_launcher();
    log::error("%s: PE %d (pid %d) is gone without shmem_finalize; ending the job", info_.routine, i,
               peer.pid.load(std::memory_order_relaxed));
    end_job(&world_, 1, false);
  }
}

void backoff::speak(std::uint64_t waited) {
  char info[256], peers[700];
  describe_wait(info_, world_, info, sizeof info);
  list_peers(world_, peers, sizeof peers);
  log::error("%s, for %llu s now (%s)", info, static_cast<unsigned long long>(waited / second), peers);
}

// Tells whoever looks from outside (oshrun --timeout) what this PE waits for.
void backoff::describe() {
  described_ = true;
  enter_wait(world_, waiter_);
  char text[sizeof(boot::activity::text)];
  describe_wait(info_, world_, text, sizeof text);
  os::locked hold(world_.speaking);
  post(world_.own_control().doing, text, began_);
  if (boot::activity* board = world_.launcher->own_activity()) post(*board, text, began_);
}

}  // namespace oshen
