// A run: the strategy goes on without waiting as long as it can; when it cannot, the engine here
// waits for any of the words that it wants.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "backoff.hpp"
#include "pieces.hpp"

namespace oshen::exchange {
namespace {

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
  for (auto& p : plan.receives) p.here = p.reported = false;
  if (plan.own_send.bytes == 0) return;
  plan.own_send.state = outgoing_state::pending;
  plan.pending++;
  plan.own_receive.here = plan.own_receive.reported = false;
  plan.unreported++;
  plan.stats.bytes_self += plan.own_send.bytes;
}

void begin(oshen_plan& plan) {
  open_books(plan);
  plan.how->start(plan);
  hold_own(plan);  // after the strategy has sent: the others wait for that
}

bool advance(oshen_plan& plan) {
  const bool own = settle_own(plan);
  return plan.how->advance(plan) || own;
}

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
  } else if (plan.how->wait != nullptr) {
    plan.how->wait(plan);
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
  p.reported = true;
  plan.unreported--;
  return p.peer;
}

// The peer of a parcel that is here and has not been reported, or -1.
int next_report(oshen_plan& plan) {
  for (auto& p : plan.receives) {
    if (p.here && !p.reported) return report(plan, p);
  }
  incoming& own = plan.own_receive;
  return own.here && !own.reported ? report(plan, own) : -1;
}

}  // namespace

bool done(const oshen_plan& plan) {
  return plan.unsent == 0 && plan.expected == 0 && plan.own_receive.here &&
         (plan.how->over == nullptr || plan.how->over(plan));
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
  if (peer == plan->group->me) return plan->own_receive.here ? 1 : 0;
  for (const auto& p : plan->receives) {
    if (p.peer == peer) return p.here ? 1 : 0;
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
