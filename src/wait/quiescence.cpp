#include "wait/quiescence.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "os/stillness.hpp"
#include "wait/delivery.hpp"
#include "wait/node_probes.hpp"
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

// How often other PEs of this node have woken this PE. Messages of the detection itself wake it, too, so wake-ups by
// the network do not count: the PE that sends a message counts it (count_changes).
std::uint32_t wakes_by_peers(world& w) {
  const std::uint32_t wakes = w.own_control().wakeup.wakes.load(std::memory_order_acquire);
  return w.beyond == nullptr ? wakes : wakes - w.beyond->progress.wakes.load(std::memory_order_acquire);
}

// Since the last round this PE was not woken and has changed no memory of another node, and none of its other threads
// has run or can run by itself.
bool nothing_has_happened(world& w) {
  quiescence_state& r = w.quiescence;
  int threads[most_waiters], n = 0;
  for (const quiescence_state::waiter* s = r.waiters; s != nullptr; s = s->next) {
    if (n == most_waiters) return false;
    threads[n++] = s->thread_id;
  }
  std::uint64_t moves = 0;
  const std::uint32_t wakes = wakes_by_peers(w);
  const std::uint64_t changes = w.beyond == nullptr ? 0 : count_changes(*w.beyond);
  const bool still = os::is_still(threads, n, moves) && wakes == r.wakes && moves == r.moves && changes == r.changes;
  r.wakes = wakes;
  r.moves = moves;
  r.changes = changes;
  return still;
}

control_page& first_of_node(const world& w) { return w.control(w.near.leader()); }

std::uint32_t probe_here(const world& w) {
  return static_cast<std::uint32_t>(first_of_node(w).probe.load(std::memory_order_acquire));
}

bool has_answered(const world& w) {
  return w.own_control().answer.load(std::memory_order_relaxed) >> 32 == w.quiescence.probe;
}

void answer(world& w) {
  quiescence_state& r = w.quiescence;
  if (!nothing_has_happened(w)) return start_again(w);
  const std::uint32_t probe = probe_here(w);
  if (probe == 0) return;  // there is no probe yet
  if (probe != r.probe) {
    r.probe = probe;
    r.rounds = 0;
    return;
  }
  if (r.rounds < rounds_for_an_answer) ++r.rounds;
  if (r.rounds < rounds_for_an_answer || has_answered(w)) return;
  if (w.beyond != nullptr && !all_has_arrived(w)) return;
  ++r.streak;
  publish(w);
}

// Every store that a sleeper of this PE waits for wakes it. Otherwise a sleep does not show that nothing has happened.
bool is_always_woken(const world& w) { return w.waiting.kernel_wakes || w.waiting.flags_are_fenced; }

// ---- the PE that sends the probes ------------------------------------------------------------------------

bool has_finalized(const world& w, int pe) {
  return w.control(pe).state.load(std::memory_order_acquire) == bootstrap::pe_state::finalized;
}

// The first PE of the node that has not finalized sends the probes, or answers for its node.
bool speaks_for_node(const world& w) {
  int first = 0;
  while (first < w.near.mine && has_finalized(w, w.near.pe_at(first))) ++first;
  return first == w.near.mine;
}

// The number of consecutive probes that PE `pe` has answered, up to and including `probe`.
std::uint32_t streak_of(const world& w, int pe, std::uint32_t probe) {
  const std::uint64_t answer = w.control(pe).answer.load(std::memory_order_acquire);
  return answer >> 32 == probe ? static_cast<std::uint32_t>(answer) : 0;
}

// It has finalized, and everything that it has sent has arrived.
bool is_silent(const world& w, int pe) {
  if (!has_finalized(w, pe)) return false;
  return w.beyond == nullptr || w.control(pe).answer.load(std::memory_order_seq_cst) == answer_to_all_probes;
}

std::uint32_t least_streak(const world& w, std::uint32_t probe) {
  std::uint32_t least = enough;
  for (int i = 0; i < w.near.n_pes && least != 0; ++i) {
    const std::uint32_t its = streak_of(w, w.near.pe_at(i), probe);
    if (its < least && !is_silent(w, w.near.pe_at(i))) least = its;
  }
  return least;
}

bool node_has_answered(world& w, std::uint32_t probe) {
  int& done = w.quiescence.answered;
  const auto is_done = [&](int pe) { return streak_of(w, pe, probe) != 0 || is_silent(w, pe); };
  while (done < w.near.n_pes && is_done(w.near.pe_at(done))) ++done;
  return done == w.near.n_pes;
}

void end_in_deadlock(world& w) {
  log::error("deadlock: every PE waits, and nothing has happened for %u s; ending the job", w.config.deadlock_seconds);
  print_report(w);
  end_job(&w, 1, false);
}

void answer_for_node(world& w) {
  const std::uint32_t probe = probe_here(w);
  quiescence_state& r = w.quiescence;
  if (probe != r.answered_probe) r.answered = 0;
  r.answered_probe = probe;
  if (probe == 0 || !node_has_answered(w, probe)) return;
  first_of_node(w).node_answer.store(std::uint64_t{probe} << 32 | least_streak(w, probe), std::memory_order_release);
}

void send_probe(world& w, std::uint64_t now) {
  quiescence_state& r = w.quiescence;
  const std::uint32_t probe = probe_here(w);
  if (probe != 0 && w.beyond != nullptr && !nodes_have_answered(w, probe, now)) return;
  if (now < r.next_probe_ns) return;
  if (probe != 0 && !node_has_answered(w, probe)) return;
  std::uint32_t least = probe == 0 ? 0 : least_streak(w, probe);
  if (probe != 0 && w.beyond != nullptr) least = std::min(least, w.beyond->probes.least);
  if (least >= enough) end_in_deadlock(w);
  r.answered = 0;
  r.next_probe_ns = now + w.config.deadlock_seconds * second / (enough - 1);
  if (w.beyond != nullptr) begin_node_probes(w, enough);
  first_of_node(w).probe.store(probe + 1 != 0 ? probe + 1 : 1, std::memory_order_release);
}

}  // namespace

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

void answer_for_finalized(world& w) {
  if (w.beyond == nullptr) return;
  w.own_control().answer.store(answer_to_all_probes, std::memory_order_seq_cst);
  bool all = true;
  for (int i = 0; i < w.near.n_pes && all; ++i) all = is_silent(w, w.near.pe_at(i));
  if (all) first_of_node(w).node_answer.store(answer_to_all_probes, std::memory_order_release);
}

void check_quiescence(world& w, quiescence_state::waiter& me, std::uint64_t now) {
  if (w.config.deadlock_seconds == 0 || !is_always_woken(w)) return;
  os::locked hold(w.quiescence.lock);
  w.own_control().looked_ns.store(now, std::memory_order_relaxed);
  me.has_looked = true;
  if (!round_is_complete(w.quiescence)) return;
  answer(w);
  if (!speaks_for_node(w)) return;
  if (w.near.leader() == 0)
    send_probe(w, now);
  else
    answer_for_node(w);
}

}  // namespace oshen
