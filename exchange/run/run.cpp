// A run, from its start to its release.
//
// Send:     pending (in `in`) --(stage_all)--> staged --> sent. A parcel is sent at once or when its receiver is ready.
// Receive:  expected --(its flag)--> arrived --(wait_any)--> reported.
// Own data: both of these; it moves after the strategy has sent as much as it can.
//
// The run is over when all parcels are sent and received and the strategy's completion condition holds. `advance`
// performs every step that needs no waiting; when there is none, the engine waits for any of the armed flags.
#include "exchange/run/run.hpp"

#include <algorithm>
#include <utility>

#include "exchange/copy/box_copy.hpp"
#include "exchange/group/wait_loop.hpp"
#include "exchange/run/engine.hpp"
#include "exchange/run/parcels.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

// ---- start

bool overlap(const std::byte* a, byte_range of_a, const std::byte* b, byte_range of_b) {
  const auto a_low = reinterpret_cast<std::uintptr_t>(a) + of_a.low,
             a_high = reinterpret_cast<std::uintptr_t>(a) + of_a.high,
             b_low = reinterpret_cast<std::uintptr_t>(b) + of_b.low,
             b_high = reinterpret_cast<std::uintptr_t>(b) + of_b.high;
  return a_low < b_high && b_low < a_high;
}

bool buffers_overlap(const oshen_plan& plan) {
  if ((plan.buffers & OSHEN_BUFFERS_APART) != 0) return false;
  if (plan.pack != nullptr) return true;  // the ranges that callbacks touch are unknown
  for (const auto* in : plan.in) {
    for (const auto* out : plan.out) {
      if (overlap(in, plan.in_range, out, plan.out_range)) return true;
    }
  }
  return false;
}

void reset_run(oshen_plan& plan) {
  plan.run++;
  plan.staging = plan.group->arena->borrow_staging(plan.staging_bytes);
  plan.aliased = buffers_overlap(plan);
  plan.unsent = plan.pending = plan.sends.size();
  plan.expected = plan.unreported = plan.receives.size();
  plan.awaited_ready = 0;
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

// Packs a parcel that is still in `in` into staging memory, so that `in` may change.
void stage(oshen_plan& plan, outgoing& p) {
  if (p.state != outgoing_state::pending) return;
  const trials::stopwatch timed(plan.stats.pack_seconds);
  pack_parcel(plan, p, staging_of(plan, p));
  set_state(plan, p, outgoing_state::staged);
}

// ---- messages of this PE to itself, and staging before `out` is written

// For `out` apart from `in`.
void copy_own(const outgoing& own, const std::byte* in, std::byte* out) {
  for (std::size_t i = 0; i < own.messages.size(); i++) transfer(own.messages[i].box, in, own.peer_boxes[i], out);
}

}  // namespace

void move_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::pending) return;
  const bool in_place = transposes_in_place(plan);
  if (!in_place && (plan.aliased || p.peer_boxes.empty())) return stage(plan, p);
  const trials::stopwatch timed(plan.stats.pack_seconds);
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    if (in_place) {
      plan.own_transpose.run(plan.out[f], staging_of(plan, p));
    } else {
      copy_own(p, plan.in[f], plan.out[f]);
    }
  }
  set_state(plan, p, outgoing_state::sent);
  plan.own_receive.state = incoming_state::arrived;
}

void stage_all(oshen_plan& plan) {
  if (!plan.aliased) return;
  move_own(plan);
  for (auto& p : plan.sends) stage(plan, p);
}

namespace {

// Unpacks the own parcel once `out` may be written. Returns false when there was nothing to do.
bool unpack_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::staged || (plan.aliased && plan.pending != 0)) return false;
  const trials::stopwatch timed(plan.stats.unpack_seconds);
  unpack_parcel(plan, plan.own_receive, staging_of(plan, p));
  p.state = outgoing_state::sent;
  plan.own_receive.state = incoming_state::arrived;
  return true;
}

// ---- sending

// Arms the flags of arrivals that can be handled now: with `sends_first`, none while a parcel is unsent.
void arm_arrivals(oshen_plan& plan) {
  if (plan.effective->notifies_by == notification::barrier || (plan.effective->sends_first && plan.unsent != 0)) return;
  for (const auto& p : plan.receives) plan.flags.arm(p.flag, plan.run);
}

void send(oshen_plan& plan, outgoing& p) {
  if (plan.effective->send != nullptr) plan.effective->send(plan, p);
  mark_sent(plan, p);
}

// Sends all parcels and notifies their receivers.
void send_all(oshen_plan& plan) {
  for (auto& p : plan.sends) send(plan, p);
  if (plan.effective->notifies_by == notification::flag_each) return;
  shmem_quiet();
  if (plan.effective->notifies_by == notification::barrier) return plan.barrier.enter(plan.flags, plan.run);
  for (const auto& p : plan.sends) raise_arrived(plan, p);
}

// Sends the parcels whose receivers are ready.
bool send_ready(oshen_plan& plan) {
  bool moved = false;
  for (auto& p : plan.sends) {
    if (p.state == outgoing_state::sent || !plan.flags.take(p.flag)) continue;
    send(plan, p);
    moved = true;
  }
  if (moved && plan.effective->sends_first) arm_arrivals(plan);
  return moved;
}

// ---- receiving

void receive(oshen_plan& plan, incoming& p) {
  stage_all(plan);
  if (plan.effective->receive != nullptr) {
    const trials::stopwatch timed(plan.stats.unpack_seconds);
    plan.effective->receive(plan, p);
  }
  mark_arrived(plan, p);
  if (!plan.effective->acknowledges) return;
  shmem_fence();
  raise_ready(plan, p);
  // As in Tang et al. 2015, 4.3: some libraries delay small puts until a quiet.
  if (plan.expected == 0) shmem_quiet();
}

bool has_arrived(oshen_plan& plan, const incoming& p) {
  return plan.effective->notifies_by == notification::barrier ? plan.barrier.passed() : plan.flags.take(p.flag);
}

bool receive_arrived(oshen_plan& plan) {
  bool moved = false;
  for (auto& p : plan.receives) {
    if (p.state != incoming_state::expected || !has_arrived(plan, p)) continue;
    receive(plan, p);
    moved = true;
  }
  return moved;
}

// ---- completion

bool advance_barrier(oshen_plan& plan) {
  if (plan.barrier.entered()) return plan.barrier.advance(plan.flags);
  if (plan.expected != 0) return false;
  plan.barrier.enter(plan.flags, plan.run);
  return true;
}

// With two slots, the parcels of run n + 2 must not meet those of run n. A sender that gets a parcel of run n + 1 from
// the receiver knows that the receiver has finished run n. A sender that gets no parcel gets this ready flag instead.
void raise_ready_flags(oshen_plan& plan) {
  for (const auto& p : plan.receives) {
    if (!p.mutual) raise_ready(plan, p);
  }
  for (const auto& p : plan.sends) {
    if (p.mutual) continue;
    plan.flags.arm(p.flag, plan.run);
    plan.awaited_ready++;
  }
}

bool take_ready_flags(oshen_plan& plan) {
  bool moved = false;
  for (const auto& p : plan.sends) {
    if (p.mutual || !plan.flags.take(p.flag)) continue;
    plan.awaited_ready--;
    moved = true;
  }
  return moved;
}

bool advance_completion(oshen_plan& plan) {
  switch (plan.effective->completes_with) {
    case completion::parcels: return false;
    case completion::barrier: return advance_barrier(plan);
    case completion::ready_flags: return take_ready_flags(plan);
  }
  return false;
}

// ---- the engine

void start_parcels(oshen_plan& plan) {
  const strategy& used = *plan.effective;
  if (used.completes_with == completion::ready_flags) raise_ready_flags(plan);
  if (used.prepare != nullptr) used.prepare(plan);
  if (used.sends_when == send_condition::immediate) {
    send_all(plan);
    return arm_arrivals(plan);
  }
  const std::uint64_t run = used.sends_when == send_condition::slot_free ? plan.run - 1 : plan.run;
  for (const auto& p : plan.sends) plan.flags.arm(p.flag, run);
  arm_arrivals(plan);
  if (used.sends_when == send_condition::slot_free) send_ready(plan);
}

void begin_run(oshen_plan& plan) {
  reset_run(plan);
  // Flags and signals of the run before may still be under way. Without an order between them a flag that is raised
  // again could go back.
  shmem_fence();
  plan.effective->start != nullptr ? plan.effective->start(plan) : start_parcels(plan);
  move_own(plan);  // after the strategy has sent, because peers wait for that
}

bool may_begin(oshen_plan& plan) { return plan.trials == nullptr || plan.trials->permits_start(plan); }

// Begins a deferred run when the peers have finished the runs before it.
bool begin_deferred(oshen_plan& plan) {
  if (!may_begin(plan)) return false;
  plan.deferred = false;
  begin_run(plan);
  return true;
}

bool advance_parcels(oshen_plan& plan) {
  const bool sent = plan.effective->sends_when != send_condition::immediate && send_ready(plan);
  const bool received = receive_arrived(plan);
  return advance_completion(plan) || received || sent;
}

}  // namespace

void start_run(oshen_plan& plan) {
  plan.active = true;
  plan.group->active_runs++;
  plan.group->arena->active.push_back(&plan);
  plan.deferred = !may_begin(plan);
  const timed_call timed(plan);
  if (!plan.deferred) begin_run(plan);
}

bool advance(oshen_plan& plan) {
  if (plan.deferred) return begin_deferred(plan);
  const bool own = unpack_own(plan);
  return (plan.effective->advance != nullptr ? plan.effective->advance(plan) : advance_parcels(plan)) || own;
}

namespace {

// ---- waiting

// Waits for any armed flag of this plan and returns its number.
std::size_t wait_for_flag(oshen_plan& plan, wait_loop& waiting) {
#if OSHEN_EXCHANGE_TEAMS  // OpenSHMEM 1.5 also has waits for several variables
  (void)waiting;          // the library's wait prints its own warnings
  return plan.flags.wait();
#else
  constexpr int quick_polls = 200;  // before it yields the CPU
  std::size_t flag = 0;
  for (int polls = 0; !plan.flags.find(flag); polls++)
    if (polls > quick_polls) waiting.pause([&] { return missing_peers(*plan.group->arena); });
  return flag;
#endif
}

void wait_and_record(oshen_plan& plan, wait_loop& waiting) {
  const double before = trials::stopwatch::now();
  const std::size_t flag = wait_for_flag(plan, waiting);
  plan.late[flag].runs++;
  plan.late[flag].seconds += trials::stopwatch::now() - before;
}

void wait(oshen_plan& plan, wait_loop& waiting) {
  const trials::stopwatch timed(plan.stats.wait_seconds);
  if (plan.group->arena->active.size() > 1) {
    // A peer may be waiting for another plan of ours, so all runs have to advance.
    const oshen_arena& arena = *plan.group->arena;
    if (progress_all(arena)) return waiting.progressed();
    waiting.pause([&] { return missing_peers(arena); });
  } else if (plan.deferred) {
    plan.trials->wait_for_peers();
  } else if (plan.effective->wait != nullptr) {
    plan.effective->wait(plan);
  } else {
    wait_and_record(plan, waiting);
  }
}

}  // namespace

void advance_or_wait(oshen_plan& plan, wait_loop& waiting) {
  if (advance(plan)) {
    waiting.progressed();
  } else {
    wait(plan, waiting);
  }
}

bool done(const oshen_plan& plan) {
  if (plan.deferred || plan.unsent != 0 || plan.expected != 0 || plan.own_receive.state == incoming_state::expected)
    return false;
  if (plan.effective->finished != nullptr) return plan.effective->finished(plan);
  return plan.awaited_ready == 0 && (plan.effective->completes_with != completion::barrier || plan.barrier.passed());
}

bool progress_all(const oshen_arena& arena) {
  bool moved = false;
  for (oshen_plan* plan : arena.active) moved = advance(*plan) || moved;
  return moved;
}

}  // namespace oshen::exchange
