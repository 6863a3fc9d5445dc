// The calls that start, test, wait for and release runs, and that destroy a plan.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "exchange/run/engine.hpp"
#include "exchange/run/run.hpp"

namespace oshen::exchange {
namespace {

// A call in the wrong state prints one line and ends the job.
void require(bool condition, const char* routine, const char* expected) {
  if (condition) return;
  std::fprintf(stderr, "oshen exchange: PE %d: %s: expected %s\n", shmem_my_pe(), routine, expected);
  shmem_global_exit(1);
}

int report(oshen_plan& plan, incoming& p) {
  p.state = incoming_state::reported;
  plan.unreported--;
  return p.peer;
}

// The peer of a parcel that has arrived and has not been reported, or -1.
int next_report(oshen_plan& plan) {
  for (auto& p : plan.receives) {
    if (p.state == incoming_state::arrived) return report(plan, p);
  }
  return plan.own_receive.state == incoming_state::arrived ? report(plan, plan.own_receive) : -1;
}

}  // namespace
}  // namespace oshen::exchange

using namespace oshen::exchange;

void oshen_plan_start(oshen_plan_t* plan, const void* in, void* out) {
  require(!plan->active, "oshen_plan_start", "no run of this plan under way: release it first");
  for (std::size_t f = 0; f < plan->n_fields; f++) {
    plan->in[f] = static_cast<const std::byte*>(in) + f * plan->in_step;
    plan->out[f] = static_cast<std::byte*>(out) + f * plan->out_step;
  }
  start_run(*plan);
}

void oshen_plan_start_fields(oshen_plan_t* plan, const void* const* in, void* const* out) {
  require(!plan->active, "oshen_plan_start_fields", "no run of this plan under way: release it first");
  for (std::size_t f = 0; f < plan->n_fields; f++) {
    plan->in[f] = in == nullptr ? nullptr : static_cast<const std::byte*>(in[f]);
    plan->out[f] = out == nullptr ? nullptr : static_cast<std::byte*>(out[f]);
  }
  start_run(*plan);
}

int oshen_plan_test(oshen_plan_t* plan) {
  require(plan->active, "oshen_plan_test", "a run under way: start it first");
  const timed_call timed(*plan);
  while (!done(*plan)) {
    if (!advance(*plan)) return 0;
  }
  return 1;
}

int oshen_plan_wait_any(oshen_plan_t* plan) {
  require(plan->active, "oshen_plan_wait_any", "a run under way: start it first");
  const timed_call timed(*plan);
  wait_loop waiting("oshen_plan_wait_any");
  while (plan->deferred) advance_or_wait(*plan, waiting);
  if (plan->unreported == 0) return -1;
  int peer = next_report(*plan);
  while (peer < 0) {
    advance_or_wait(*plan, waiting);
    peer = next_report(*plan);
  }
  return peer;
}

int oshen_plan_has_arrived(const oshen_plan_t* plan, int peer) {
  if (peer == plan->group->me)
    return plan->own_receive.bytes == 0 || (plan->own_receive.state != incoming_state::expected && !plan->deferred);
  for (const auto& p : plan->receives) {
    if (p.peer == peer) return p.state != incoming_state::expected && !plan->deferred ? 1 : 0;
  }
  return 1;
}

int oshen_plan_in_is_free(const oshen_plan_t* plan) { return plan->pending == 0 && !plan->deferred ? 1 : 0; }

void oshen_plan_release(oshen_plan_t* plan) {
  require(plan->active, "oshen_plan_release", "a run under way: start it first");
  wait_loop waiting("oshen_plan_release");
  {
    const timed_call timed(*plan);
    while (!done(*plan)) advance_or_wait(*plan, waiting);
  }
  plan->active = false;
  plan->group->active_runs--;
  std::erase(plan->group->arena->active, plan);
  plan->group->arena->return_staging(std::exchange(plan->staging, {}));
  plan->stats.runs++;
  if (plan->trials != nullptr) plan->trials->finish_run(*plan);
}

void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out) {
  oshen_plan_start(plan, in, out);
  oshen_plan_release(plan);
}

void oshen_plan_destroy(oshen_plan_t* plan) {
  if (plan == nullptr) return;
  require(!plan->active, "oshen_plan_destroy", "no run of this plan under way: release it first");
  if (plan->trials != nullptr) plan->trials->abandon();
  if (plan->strategy->close != nullptr) plan->strategy->close(*plan);
  // A peer may still raise a flag here, to report the end of its last run.
  for (const arena_block& memory : {plan->block, plan->data})
    if (memory.bytes != 0) plan->group->deferred_free.push_back(memory);
  delete plan;
}
