#include "world/quiescence.hpp"

#include "base/log.hpp"
#include "os/stillness.hpp"
#include "world/peer_report.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr int rounds_for_an_answer = 2;  // the test of the first may have begun before the probe was seen
constexpr std::uint32_t enough = 4;      // answers in a row; three prove it (design/waiting.md)
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

// Since the last round nobody has woken this PE, and none of its other threads has run or can run by itself.
bool nothing_has_happened(world& w) {
  quiescence_state& r = w.quiescence;
  int threads[most_waiters], n = 0;
  bool helper_waits_here = r.helper == 0;
  for (const quiescence_state::waiter* s = r.waiters; s != nullptr; s = s->next) {
    if (n == most_waiters - 1) return false;
    threads[n++] = s->thread;
    helper_waits_here |= s->thread == r.helper;
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
  if (probe == 0) return;  // nobody has asked
  if (probe != r.probe) {
    r.probe = probe;
    r.rounds = 0;
    return;
  }
  if (++r.rounds != rounds_for_an_answer) return;
  ++r.streak;
  publish(w);
}

// Whoever stores what a sleeper of this PE waits for wakes it for certain: else nobody could tell that it was at rest.
bool hears_all(const world& w) { return w.waiting.kernel_wakes || w.waiting.flags_are_fenced; }

// ---- the PE that asks ------------------------------------------------------------------------------------

bool has_finalized(const world& w, int pe) {
  return w.control(pe).state.load(std::memory_order_acquire) == boot::pe_state::finalized;
}

// The first PE that has not finalized asks for all.
bool asks(const world& w) {
  int first = 0;
  while (first < w.pe && has_finalized(w, first)) ++first;
  return first == w.pe;
}

// How many probes PE `pe` has answered in a row, the present one included.
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

void ask(world& w, std::uint64_t now) {
  quiescence_state& r = w.quiescence;
  if (now < r.next_probe || !asks(w)) return;
  const std::uint32_t probe = w.node().probe.load(std::memory_order_relaxed);
  if (probe != 0 && !all_have_answered(w, probe)) return;
  if (probe != 0 && least_streak(w, probe) >= enough) end_in_deadlock(w);
  r.answered = 0;
  r.next_probe = now + w.config.deadlock_seconds * second / (enough - 1);
  w.node().probe.store(probe + 1 != 0 ? probe + 1 : 1, std::memory_order_release);
}

}  // namespace

void help(world& w) {
  os::locked hold(w.quiescence.lock);
  w.quiescence.helper = os::own_thread();
}

void enter_wait(world& w, quiescence_state::waiter& me) {
  quiescence_state& r = w.quiescence;
  os::locked hold(r.lock);
  me.thread = os::own_thread();
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
  if (w.config.deadlock_seconds == 0 || w.beyond != nullptr) return;  // nobody sees the rest of other nodes
  if (!hears_all(w)) return;
  os::locked hold(w.quiescence.lock);
  me.has_looked = true;
  if (!round_is_complete(w.quiescence)) return;
  answer(w);
  ask(w, now);
}

}  // namespace oshen
