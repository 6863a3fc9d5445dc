#include "wait/progress.hpp"

#include <signal.h>
#include <string.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"
#include "os/wakeup_fd.hpp"
#include "wait/wait_policy.hpp"
#include "wait/wake.hpp"

namespace oshen {

using transport::blocking;

namespace {

constexpr int most_idle_standbys = 10;                // consecutive standbys without progress, before a deep standby
constexpr std::uint64_t deep_standby_ns = 200000000;  // longest sleep, in case that a wake-up is missing
constexpr int most_attempts = 4;
constexpr int most_hidden = 8;  // waits that the blocked thread does not see; then it had better wake, and stand by
constexpr std::uint32_t waits_per_hint = 16;
constexpr std::uint64_t longest_blind_nap_ns = 1000000;  // an arrival during such a nap waits for its end

void wake_network_thread(progress_state& p) {
  if (p.thread_mode.exchange(progress_state::active) != progress_state::active) os::futex_wake_all(p.thread_mode);
}

// Pairs with become_poller(): the fence comes after the received data.
void wake_poller(network& n) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (n.progress.has_poller.load(std::memory_order_relaxed)) os::signal_wakeup_fd(n.progress.poller_wakeup);
}

bool advance(world& w) {
  const int events = w.beyond->endpoint.progress();
  if (events < 0) w.beyond->is_broken.store(true, std::memory_order_relaxed);
  if (events <= 0) return false;
  if (w.beyond->progress.retry_ns.load(std::memory_order_relaxed) != 0)
    w.beyond->progress.retry_ns.store(0, std::memory_order_relaxed);
  // Counted after the wake-up, so that the difference of both counts never hides a wake-up by another PE.
  if (wake_own_sleepers(w.own_control().wakeup)) w.beyond->progress.wakes.fetch_add(1, std::memory_order_release);
  wake_poller(*w.beyond);
  return true;
}

// A thread of the program may receive a message before the network's thread, which then goes on blocking, and leave its
// acknowledgement for the answer. If the program only computes from now on, no call sends it. So it wakes the network's
// thread, once: that thread stands by afterwards, while the program makes progress. Pairs with block_until_called():
// one of both sees what the other has written.
void call_blocked_thread(network& n) {
  if (!n.endpoint.owes_acks()) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (n.progress.thread_mode.load(std::memory_order_relaxed) == progress_state::blocked)
    os::signal_wakeup_fd(n.progress.thread_wakeup);
}

// The time until the next retry of an operation. It doubles while retries fail, so that a retry comes late by no more
// than the operation has waited, and a target that is stopped costs as little as any other long wait.
std::uint64_t next_retry(network& n, std::uint64_t longest_ns) {
  const wait_policy& waiting = n.home->waiting;
  const std::uint64_t now = std::max(n.progress.retry_ns.load(std::memory_order_relaxed), waiting.retry_ns);
  n.progress.retry_ns.store(std::min(2 * now, std::max(waiting.retry_ns, longest_ns)), std::memory_order_relaxed);
  return now;
}

// Blocks in the transport's descriptor; true if there is something to do. A transport may refuse to block a few times,
// until it has seen that nothing is left. While an operation must be tried again, arrivals still end the sleep, unless
// the transport refuses to the last.
bool block(network& n, int wakeup_fd, std::uint64_t at_most_ns, bool (*progress)(world&)) {
  const int fd = n.endpoint.wait_fd();
  const bool has_packs = n.endpoint.packs().watch();
  if (n.endpoint.watch_streams() || has_packs) at_most_ns = std::min(at_most_ns, transport::pack_age_ns);
  if (fd < 0) {
    os::nap(std::min(at_most_ns, n.home->waiting.retry_ns));
    return false;
  }
  blocking how = blocking::not_now;
  for (int attempts = 0; attempts < most_attempts; ++attempts) {
    how = n.endpoint.may_block();
    if (how != blocking::not_now) break;
    if (progress(*n.home)) return true;
  }
  if (how == blocking::until_readable) return os::await_readable(fd, wakeup_fd, at_most_ns);
  const bool is_blind = how == blocking::not_now;
  at_most_ns = std::min(at_most_ns, next_retry(n, is_blind ? longest_blind_nap_ns : n.home->waiting.longest_sleep_ns));
  if (!os::await_readable(is_blind ? -1 : fd, wakeup_fd, at_most_ns)) return false;
  n.progress.retry_ns.store(0, std::memory_order_relaxed);
  return true;
}

// Whether a thread blocks in the transport's descriptor, or is about to.
bool blocks_any(const progress_state& p) {
  return p.thread_mode.load(std::memory_order_relaxed) == progress_state::blocked ||
         p.has_poller.load(std::memory_order_relaxed);
}

// A PE that serves others in one long wait would otherwise hide nothing: it does not begin another one.
void hide_later_arrivals(network& n) {
  if (n.endpoint.can_leave_out() && !blocks_any(n.progress) && hide_arrivals(n)) show_arrivals(n);
}

}  // namespace

// ---- threads of the program -----------------------------------------------------------------------------------

bool advance_network(world& w) {
  progress_state& p = w.beyond->progress;
  p.program_advances.fetch_add(1, std::memory_order_relaxed);
  p.is_advancing.store(true, std::memory_order_relaxed);
  const bool has_advanced = advance(w);
  p.is_advancing.store(false, std::memory_order_relaxed);
  if (!has_advanced) return false;
  if (w.beyond->endpoint.can_owe_acks())
    call_blocked_thread(*w.beyond);
  else
    hide_later_arrivals(*w.beyond);
  return true;
}

// After the transport leaves something out, this thread looks whether another one blocks. A thread that blocks says so
// first, and then has the transport watch all (block()). So one of both finds the other. While no thread blocks, the
// hint lasts for many waits.
bool hide_arrivals(network& n) {
  progress_state& p = n.progress;
  const bool is_blocked = blocks_any(p);
  if (is_blocked ? p.n_hidden.load(std::memory_order_relaxed) >= most_hidden
                 : p.program_advances.load(std::memory_order_relaxed) % waits_per_hint != 0)
    return false;
  if (!n.endpoint.leave_out(is_blocked)) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!blocks_any(p)) return false;
  p.n_hidden.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void show_arrivals(network& n) { n.endpoint.watch_all(); }

// Pairs with wake_poller(): either the caller's next test finds the data that another thread received, or that thread
// finds the poller. All accesses to `has_poller`, `sleepers` and `thread_mode` are sequentially consistent.
bool become_poller(network& n) {
  if (n.endpoint.wait_fd() < 0 || n.progress.poller_wakeup < 0 || n.progress.has_poller.exchange(true)) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

void stop_polling(network& n) {
  progress_state& p = n.progress;
  p.program_advances.fetch_add(1, std::memory_order_relaxed);  // this thread goes on, and will make progress
  p.has_poller.store(false);
  const std::uint32_t mode = p.thread_mode.load();
  if (mode == progress_state::deep_standby || (mode == progress_state::standby && p.sleepers.load() != 0))
    wake_network_thread(p);
}

bool poll_blocking(network& n, std::uint64_t at_most_ns) {
  return block(n, n.progress.poller_wakeup, at_most_ns, advance_network);
}

// Either the network's thread finds this sleeper before it stands by, or this call finds it standing by. A blocking
// poller also makes progress for the sleeper, and wakes the network's thread when it stops.
void begin_sleep(network& n) {
  progress_state& p = n.progress;
  p.sleepers.fetch_add(1);
  const std::uint32_t mode = p.thread_mode.load();
  const bool stands_by = mode == progress_state::standby || mode == progress_state::deep_standby;
  if (stands_by && !p.has_poller.load()) wake_network_thread(p);
}

void end_sleep(network& n) { n.progress.sleepers.fetch_sub(1); }

// The poller blocks in place of the network's thread, which may stand by until the poller stops.
void call_network_thread(network& n) {
  os::signal_wakeup_fd(n.progress.thread_wakeup);
  wake_poller(n);
}

// ---- the network's own thread ---------------------------------------------------------------------------------

namespace {

// Observations of the network's thread in earlier rounds.
struct standby_history {
  std::uint32_t program_advances = 0;
  int idle_rounds = 0;           // consecutive rounds in which the program made no progress
  std::uint64_t standby_ns = 0;  // of the last round; 0: the thread did not stand aside
};

// One call may receive for longer than the network's thread stands by. That thread would find the descriptor readable
// all the while, and the transport busy.
constexpr std::uint32_t always_advances = UINT32_MAX;

// Sleeps for a while if a thread of the program makes progress or polls; else returns false.
bool stand_by(network& n, standby_history& seen) {
  progress_state& p = n.progress;
  const std::uint32_t advances = p.program_advances.load(std::memory_order_relaxed);
  const bool is_inside = p.is_advancing.load(std::memory_order_relaxed);
  const bool advanced = is_inside || advances != seen.program_advances, has_poller = p.has_poller.load();
  if (!has_poller && (!advanced || p.sleepers.load() != 0)) return seen.standby_ns = 0, false;
  seen = {.program_advances = advances,
          .idle_rounds = advanced ? 0 : seen.idle_rounds + 1,
          .standby_ns = next_standby(n.home->waiting, seen.standby_ns,
                                     is_inside ? always_advances : advances - seen.program_advances)};
  const bool deep = seen.idle_rounds > most_idle_standbys;
  const std::uint32_t mode = deep ? progress_state::deep_standby : progress_state::standby;
  p.thread_mode.store(mode);
  if (p.has_poller.load() || (!deep && p.sleepers.load() == 0))
    os::futex_wait(p.thread_mode, mode, deep ? deep_standby_ns : seen.standby_ns);
  // Not woken: the poller has done all the work, so its advances do not count as new ones.
  if (p.thread_mode.exchange(progress_state::active) == progress_state::deep_standby)
    seen.program_advances = p.program_advances.load(std::memory_order_relaxed);
  return true;
}

// block() asks the transport whether an acknowledgement is due.
void block_until_called(network& n) {
  n.progress.n_hidden.store(0, std::memory_order_relaxed);
  n.progress.thread_mode.store(progress_state::blocked);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  block(n, n.progress.thread_wakeup, deep_standby_ns, advance);
  n.progress.thread_mode.store(progress_state::active);
}

// Makes progress while the program computes. It never spins.
void* serve(void* argument) {
  world& w = *static_cast<world*>(argument);
  network& n = *w.beyond;
  const os::library_thread me;
  standby_history seen;
  while (!n.stopping.load(std::memory_order_acquire))
    if (!stand_by(n, seen) && !advance(w)) block_until_called(n);
  return nullptr;
}

}  // namespace

void start_network_thread(world& w) {
  network& n = *w.beyond;
  if (n.endpoint.query().progresses_itself) return;
  sigset_t all, before;  // signals are handled by the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int problem = pthread_create(&n.thread, nullptr, serve, &w);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (problem != 0)
    log::error("cannot start a thread for the network (%s); only calls of the library make progress",
               strerror(problem));
  n.has_thread.store(problem == 0, std::memory_order_release);
}

void end_network_thread(network& n) {
  n.stopping.store(true, std::memory_order_release);
  os::signal_wakeup_fd(n.progress.thread_wakeup);
  if (n.has_thread.exchange(false, std::memory_order_acq_rel)) pthread_join(n.thread, nullptr);
}

}  // namespace oshen
