#include "wait/quiescence.hpp"

#include "base/log.hpp"
#include "os/stillness.hpp"
#include "wait/peer_report.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr int rounds_for_an_answer = 2;  // the tests of the first round may have begun before the probe was seen
constexpr std::uint32_t enough = 4;      // consecutive answers; three prove a deadlock (design/waiting.md)
constexpr int most_waiters = 256;

void publish(world& w) {
  const quiescence_state& r = w.quiescence;
  const std::uint64_t answer = r.streak == 0 ? 0 : std::uint64_t{r.probe} << 32 | r.streak;
  w.own_control().answer.store(answer, std::memory_order_release);
}

void start_again(world& w) {
  quiescence_state& r = w.quiescence;
  r.rounds = 0;
  if (r.streak == 0) return;
  r.streak = 0;
  publish(w);
}

bool round_is_complete(quiescence_state& r) {
  for (const quiescence_state::waiter* s = r.waiters; s != nullptr; s = s->next)
    if (!s->has_looked) return false;
  for (quiescence_state::waiter* s = r.waiters; s != nullptr; s = s->next) s->has_looked = false;
  return true;
}

// Since the last round this PE was not woken, and none of its other threads has run or can run by itself.
bool nothing_has_happened(world& w) {
  quiescence_state& r = w.quiescence;
  int threads[most_waiters], n = 0;
  bool helper_waits_here = r.helper == 0;
  for (const quiescence_state::waiter* s = r.waiters; s != nullptr; s = s->next) {
    if (n == most_waiters - 1) return false;
    threads[n++] = s->thread_id;
    helper_waits_here |= s->thread_id == r.helper;
  }
  if (!helper_waits_here) threads[n++] = r.helper;
  std::uint64_t moves = 0;
  const std::uint32_t wakes = w.own_control().wakeup.wakes.load(std::memory_order_acquire);
  const bool still = os::is_still(threads, n, moves) && wakes == r.wakes && moves == r.moves;
  r.wakes = wakes;
  r.moves = moves;
  return still;
}

void answer(world& w) {
  quiescence_state& r = w.quiescence;
  if (!nothing_has_happened(w)) return start_again(w);
  const std::uint32_t probe = w.node().probe.load(std::memory_order_acquire);
  if (probe == 0) return;  // there is no probe yet
  if (probe != r.probe) {
    r.probe = probe;
    r.rounds = 0;
    return;
  }
  if (++r.rounds != rounds_for_an_answer) return;
  ++r.streak;
  publish(w);
}

// Every store that a sleeper of this PE waits for wakes it. Otherwise a sleep does not show that nothing has happened.
bool is_always_woken(const world& w) { return w.waiting.kernel_wakes || w.waiting.flags_are_fenced; }

// ---- the PE that sends the probes ------------------------------------------------------------------------

bool has_finalized(const world& w, int pe) {
  return w.control(pe).state.load(std::memory_order_acquire) == bootstrap::pe_state::finalized;
}

// The first PE that has not finalized sends the probes.
bool sends_probes(const world& w) {
  int first = 0;
  while (first < w.pe && has_finalized(w, first)) ++first;
  return first == w.pe;
}

// The number of consecutive probes that PE `pe` has answered, up to and including `probe`.
std::uint32_t streak_of(const world& w, int pe, std::uint32_t probe) {
  const std::uint64_t answer = w.control(pe).answer.load(std::memory_order_acquire);
  return answer >> 32 == probe ? static_cast<std::uint32_t>(answer) : 0;
}

std::uint32_t least_streak(const world& w, std::uint32_t probe) {
  std::uint32_t least = enough;
  for (int i = 0; i < w.n_pes && least != 0; ++i) {
    const std::uint32_t its = streak_of(w, i, probe);
    if (its < least && !has_finalized(w, i)) least = its;
  }
  return least;
}

bool all_have_answered(world& w, std::uint32_t probe) {
  int& done = w.quiescence.answered;
  while (done < w.n_pes && (streak_of(w, done, probe) != 0 || has_finalized(w, done))) ++done;
  return done == w.n_pes;
}

void end_in_deadlock(world& w) {
  log::error("deadlock: every PE waits, and nothing has happened for %u s; ending the job", w.config.deadlock_seconds);
  print_report(w);
  end_job(&w, 1, false);
}

void send_probe(world& w, std::uint64_t now) {
  quiescence_state& r = w.quiescence;
  if (now < r.next_probe_ns || !sends_probes(w)) return;
  const std::uint32_t probe = w.node().probe.load(std::memory_order_relaxed);
  if (probe != 0 && !all_have_answered(w, probe)) return;
  if (probe != 0 && least_streak(w, probe) >= enough) end_in_deadlock(w);
  r.answered = 0;
  r.next_probe_ns = now + w.config.deadlock_seconds * second / (enough - 1);
  w.node().probe.store(probe + 1 != 0 ? probe + 1 : 1, std::memory_order_release);
}

}  // namespace

void register_helper(world& w) {
  os::locked hold(w.quiescence.lock);
  w.quiescence.helper = os::own_thread();
}

void enter_wait(world& w, quiescence_state::waiter& me) {
  quiescence_state& r = w.quiescence;
  os::locked hold(r.lock);
  me.thread_id = os::own_thread();
  me.next = r.waiters;
  r.waiters = &me;
  start_again(w);
}

void leave_wait(world& w, quiescence_state::waiter& me) {
  quiescence_state& r = w.quiescence;
  os::locked hold(r.lock);
  quiescence_state::waiter** at = &r.waiters;
  while (*at != &me) at = &(*at)->next;
  *at = me.next;
  start_again(w);
}

void check_quiescence(world& w, quiescence_state::waiter& me, std::uint64_t now) {
  if (w.config.deadlock_seconds == 0 || w.beyond != nullptr) return;  // a PE cannot see the threads of other nodes
  if (!is_always_woken(w)) return;
  os::locked hold(w.quiescence.lock);
  me.has_looked = true;
  if (!round_is_complete(w.quiescence)) return;
  answer(w);
  send_probe(w, now);
}

}  // namespace oshen
