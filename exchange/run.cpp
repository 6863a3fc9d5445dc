// A run, from its start to its release.
//
// What is sent:  pending, in `in` --(secure)--> staged --> sent. A parcel leaves at once or when its receiver says so.
// What comes:    expected --(its word)--> here --(wait_any)--> reported.
// What is kept:  both of these; it goes when the strategy has sent what it can.
// When all is sent and here, and what the strategy ends with has come, the run is over. `advance` takes every step that
// needs no waiting; when there is none, the engine waits for any of the words that are wanted.
#include "run.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "backoff.hpp"
#include "box_copy.hpp"
#include "parcels.hpp"
#include "stopwatch.hpp"

namespace oshen::exchange {
namespace {

// ---- the start

// A call that cannot be meant: one line, and the end of the job.
void insist(bool condition, const char* routine, const char* expected) {
  if (condition) return;
  std::fprintf(stderr, "oshen exchange: PE %d: %s: expected %s\n", shmem_my_pe(), routine,
               expected);
  shmem_global_exit(1);
}

bool overlap(const std::byte* a, byte_range of_a, const std::byte* b, byte_range of_b) {
  const auto a_low = reinterpret_cast<std::uintptr_t>(a) + of_a.low,
             a_high = reinterpret_cast<std::uintptr_t>(a) + of_a.high,
             b_low = reinterpret_cast<std::uintptr_t>(b) + of_b.low,
             b_high = reinterpret_cast<std::uintptr_t>(b) + of_b.high;
  return a_low < b_high && b_low < a_high;
}

bool buffers_overlap(const oshen_plan& plan) {
  if ((plan.buffers & OSHEN_BUFFERS_APART) != 0) return false;
  if (plan.pack != nullptr) return true;  // nobody knows what the callbacks touch
  for (const auto* in : plan.in) {
    for (const auto* out : plan.out) {
      if (overlap(in, plan.in_range, out, plan.out_range)) return true;
    }
  }
  return false;
}

void open_books(oshen_plan& plan) {
  plan.active = true;
  plan.run++;
  plan.group->busy++;
  plan.group->arena->active.push_back(&plan);
  plan.staging = plan.group->arena->borrow(plan.staging_bytes);
  plan.aliased = buffers_overlap(plan);
  plan.unsent = plan.pending = plan.sends.size();
  plan.expected = plan.unreported = plan.receives.size();
  plan.ungreeted = 0;
  plan.barrier.reset();
  for (auto& p : plan.sends) {
    p.state = outgoing_state::pending;
    plan.stats.messages++;
    plan.stats.bytes += p.bytes;
  }
  for (auto& p : plan.receives) p.state = incoming_state::expected;
  if (plan.own_send.bytes == 0) return;
  plan.own_send.state = outgoing_state::pending;
  plan.pending++;
  plan.own_receive.state = incoming_state::expected;
  plan.unreported++;
  plan.stats.bytes_self += plan.own_send.bytes;
}

bool transposes_in_place(const oshen_plan& plan) {
  return plan.transposes && plan.aliased && std::ranges::equal(plan.in, plan.out);
}

// Takes a parcel that is still in `in` to staging memory, so that `in` may change.
void stage(oshen_plan& plan, outgoing& p) {
  if (p.state != outgoing_state::pending) return;
  const stopwatch timed(plan.stats.pack_seconds);
  pack_parcel(plan, p, staged(plan, p));
  left_in(plan, p, outgoing_state::staged);
}

// ---- what this PE keeps, and all that must be out of the way

// Where `out` is apart from `in`.
void keep(const outgoing& own, const std::byte* in, std::byte* out) {
  for (std::size_t i = 0; i < own.messages.size(); i++)
    transfer(own.messages[i].box, in, own.far_boxes[i], out);
}

}  // namespace

void hold_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::pending) return;
  const bool in_place = transposes_in_place(plan);
  if (!in_place && (plan.aliased || p.far_boxes.empty())) return stage(plan, p);
  const stopwatch timed(plan.stats.pack_seconds);
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    if (in_place) {
      plan.own_transpose.run(plan.out[f], staged(plan, p));
    } else {
      keep(p, plan.in[f], plan.out[f]);
    }
  }
  left_in(plan, p, outgoing_state::sent);
  plan.own_receive.state = incoming_state::here;
}

void secure(oshen_plan& plan) {
  if (!plan.aliased) return;
  hold_own(plan);
  for (auto& p : plan.sends) stage(plan, p);
}

namespace {

// The rest of its way, when nothing is left in `in`; false when there was nothing to do.
bool settle_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::staged || (plan.aliased && plan.pending != 0)) return false;
  const stopwatch timed(plan.stats.unpack_seconds);
  unpack_parcel(plan, plan.own_receive, staged(plan, p));
  p.state = outgoing_state::sent;
  plan.own_receive.state = incoming_state::here;
  return true;
}

// ---- what is sent

// Only what can be acted on is wanted: with `sends_first` nothing that comes while something is still to be sent.
void want_arrivals(oshen_plan& plan) {
  if (plan.way->announces == announcing::barrier || (plan.way->sends_first && plan.unsent != 0)) return;
  for (const auto& p : plan.receives) plan.watch.want(p.word, plan.run);
}

void send(oshen_plan& plan, outgoing& p) {
  if (plan.way->send != nullptr) plan.way->send(plan, p);
  is_sent(plan, p);
}

// All that may leave at once, and what says that it has come.
void send_all(oshen_plan& plan) {
  for (auto& p : plan.sends) send(plan, p);
  if (plan.way->announces == announcing::each) return;
  shmem_quiet();
  if (plan.way->announces == announcing::barrier) return plan.barrier.enter(plan.watch, plan.run);
  for (const auto& p : plan.sends) announce(plan, p);
}

bool send_what_may_leave(oshen_plan& plan) {
  bool moved = false;
  for (auto& p : plan.sends) {
    if (p.state == outgoing_state::sent || !plan.watch.take(p.word)) continue;
    send(plan, p);
    moved = true;
  }
  if (moved && plan.way->sends_first) want_arrivals(plan);
  return moved;
}

// ---- what comes

void take(oshen_plan& plan, incoming& p) {
  secure(plan);
  if (plan.way->take != nullptr) {
    const stopwatch timed(plan.stats.unpack_seconds);
    plan.way->take(plan, p);
  }
  is_here(plan, p);
  if (!plan.way->answers) return;
  shmem_fence();
  tell_sender(plan, p);
  // As in the paper, 4.3: some libraries hold back small puts until somebody insists.
  if (plan.expected == 0) shmem_quiet();
}

bool has_come(oshen_plan& plan, const incoming& p) {
  return plan.way->announces == announcing::barrier ? plan.barrier.passed() : plan.watch.take(p.word);
}

bool take_what_has_come(oshen_plan& plan) {
  bool moved = false;
  for (auto& p : plan.receives) {
    if (p.state != incoming_state::expected || !has_come(plan, p)) continue;
    take(plan, p);
    moved = true;
  }
  return moved;
}

// ---- the end

bool go_through_barrier(oshen_plan& plan) {
  if (plan.barrier.entered()) return plan.barrier.advance(plan.watch);
  if (plan.expected != 0) return false;
  plan.barrier.enter(plan.watch, plan.run);
  return true;
}

// With two slots parcels of run n + 2 must not meet those of run n. Who gets a parcel of run n + 1 from the receiver
// knows that it is through with run n. Who gets none is greeted instead.
void greet(oshen_plan& plan) {
  for (const auto& p : plan.receives) {
    if (!p.mutual) tell_sender(plan, p);
  }
  for (const auto& p : plan.sends) {
    if (p.mutual) continue;
    plan.watch.want(p.word, plan.run);
    plan.ungreeted++;
  }
}

bool take_greetings(oshen_plan& plan) {
  bool moved = false;
  for (const auto& p : plan.sends) {
    if (p.mutual || !plan.watch.take(p.word)) continue;
    plan.ungreeted--;
    moved = true;
  }
  return moved;
}

bool come_to_end(oshen_plan& plan) {
  switch (plan.way->ends) {
    case ending::parcels:
      return false;
    case ending::barrier:
      return go_through_barrier(plan);
    case ending::greetings:
      return take_greetings(plan);
  }
  return false;
}

// ---- all of it

void start_parcels(oshen_plan& plan) {
  const strategy& way = *plan.way;
  if (way.ends == ending::greetings) greet(plan);
  if (way.prepare != nullptr) way.prepare(plan);
  if (way.leaves == leaving::at_once) {
    send_all(plan);
    return want_arrivals(plan);
  }
  const std::uint64_t run = way.leaves == leaving::slot_is_free ? plan.run - 1 : plan.run;
  for (const auto& p : plan.sends) plan.watch.want(p.word, run);
  want_arrivals(plan);
  if (way.leaves == leaving::slot_is_free) send_what_may_leave(plan);
}

void begin(oshen_plan& plan) {
  open_books(plan);
  plan.way->start != nullptr ? plan.way->start(plan) : start_parcels(plan);
  hold_own(plan);  // after the strategy has sent: the others wait for that
}

bool advance_parcels(oshen_plan& plan) {
  const bool sent = plan.way->leaves != leaving::at_once && send_what_may_leave(plan);
  const bool taken = take_what_has_come(plan);
  return come_to_end(plan) || taken || sent;
}

bool advance(oshen_plan& plan) {
  const bool own = settle_own(plan);
  return (plan.way->advance != nullptr ? plan.way->advance(plan) : advance_parcels(plan)) || own;
}

// ---- waiting

// Waits for a word of this plan; its number.
std::size_t find_word(oshen_plan& plan, backoff& idle) {
#if OSHEN_EXCHANGE_TEAMS  // 1.5 has waits on several words as well
  (void)idle;             // the library's wait speaks for itself
  return plan.watch.wait();
#else
  constexpr int quick_looks = 200;  // before the CPU is offered to others
  std::size_t word = 0;
  for (int looks = 0; !plan.watch.find(word); looks++)
    if (looks > quick_looks) idle.pause([&] { return whom_runs_need(*plan.group->arena); });
  return word;
#endif
}

void wait_for_word(oshen_plan& plan, backoff& idle) {
  const double before = stopwatch::now();
  const std::size_t word = find_word(plan, idle);
  plan.late[word].runs++;
  plan.late[word].seconds += stopwatch::now() - before;
}

void wait(oshen_plan& plan, backoff& idle) {
  const stopwatch timed(plan.stats.wait_seconds);
  if (plan.group->arena->active.size() > 1) {
    // A peer may wait for another plan of ours than this one: all have to go on.
    const oshen_arena& arena = *plan.group->arena;
    if (keep_going(arena)) return idle.moved();
    idle.pause([&] { return whom_runs_need(arena); });
  } else if (plan.way->wait != nullptr) {
    plan.way->wait(plan);
  } else {
    wait_for_word(plan, idle);
  }
}

void go_on(oshen_plan& plan, backoff& idle) {
  if (advance(plan)) {
    idle.moved();
  } else {
    wait(plan, idle);
  }
}

int report(oshen_plan& plan, incoming& p) {
  p.state = incoming_state::reported;
  plan.unreported--;
  return p.peer;
}

// The peer of a parcel that is here and has not been reported, or -1.
int next_report(oshen_plan& plan) {
  for (auto& p : plan.receives) {
    if (p.state == incoming_state::here) return report(plan, p);
  }
  return plan.own_receive.state == incoming_state::here ? report(plan, plan.own_receive) : -1;
}

}  // namespace

bool done(const oshen_plan& plan) {
  if (plan.unsent != 0 || plan.expected != 0 || plan.own_receive.state == incoming_state::expected) return false;
  if (plan.way->over != nullptr) return plan.way->over(plan);
  return plan.ungreeted == 0 && (plan.way->ends != ending::barrier || plan.barrier.passed());
}

bool keep_going(const oshen_arena& arena) {
  bool moved = false;
  for (oshen_plan* plan : arena.active) moved = advance(*plan) || moved;
  return moved;
}

}  // namespace oshen::exchange

using namespace oshen::exchange;

void oshen_plan_start(oshen_plan_t* plan, const void* in, void* out) {
  insist(!plan->active, "oshen_plan_start", "no run of this plan under way: release it first");
  for (std::size_t f = 0; f < plan->n_fields; f++) {
    plan->in[f] = static_cast<const std::byte*>(in) + f * plan->in_step;
    plan->out[f] = static_cast<std::byte*>(out) + f * plan->out_step;
  }
  begin(*plan);
}

void oshen_plan_start_fields(oshen_plan_t* plan, const void* const* in, void* const* out) {
  insist(!plan->active, "oshen_plan_start_fields",
         "no run of this plan under way: release it first");
  for (std::size_t f = 0; f < plan->n_fields; f++) {
    plan->in[f] = in == nullptr ? nullptr : static_cast<const std::byte*>(in[f]);
    plan->out[f] = out == nullptr ? nullptr : static_cast<std::byte*>(out[f]);
  }
  begin(*plan);
}

int oshen_plan_test(oshen_plan_t* plan) {
  insist(plan->active, "oshen_plan_test", "a run under way: start it first");
  while (!done(*plan)) {
    if (!advance(*plan)) return 0;
  }
  return 1;
}

int oshen_plan_wait_any(oshen_plan_t* plan) {
  insist(plan->active, "oshen_plan_wait_any", "a run under way: start it first");
  if (plan->unreported == 0) return -1;
  backoff idle("oshen_plan_wait_any");
  int peer = next_report(*plan);
  while (peer < 0) {
    go_on(*plan, idle);
    peer = next_report(*plan);
  }
  return peer;
}

int oshen_plan_has_arrived(const oshen_plan_t* plan, int peer) {
  if (peer == plan->group->me) return plan->own_receive.state != incoming_state::expected ? 1 : 0;
  for (const auto& p : plan->receives) {
    if (p.peer == peer) return p.state != incoming_state::expected ? 1 : 0;
  }
  return 1;
}

int oshen_plan_in_is_free(const oshen_plan_t* plan) {
  return plan->pending == 0 ? 1 : 0;
}

void oshen_plan_release(oshen_plan_t* plan) {
  insist(plan->active, "oshen_plan_release", "a run under way: start it first");
  backoff idle("oshen_plan_release");
  while (!done(*plan)) go_on(*plan, idle);
  plan->active = false;
  plan->group->busy--;
  std::erase(plan->group->arena->active, plan);
  plan->group->arena->bring_back(std::exchange(plan->staging, {}));
  plan->stats.runs++;
}

void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out) {
  oshen_plan_start(plan, in, out);
  oshen_plan_release(plan);
}

void oshen_plan_destroy(oshen_plan_t* plan) {
  if (plan == nullptr) return;
  insist(!plan->active, "oshen_plan_destroy", "no run of this plan under way: release it first");
  if (plan->how->close != nullptr) plan->how->close(*plan);
  // A peer may still have to tell us that it is through with the last run.
  if (plan->block.bytes != 0) plan->group->deferred_free.push_back(plan->block);
  delete plan;
}
