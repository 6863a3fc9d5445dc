// The engine of runs, for the calls of the API.
#pragma once

#include "exchange/group/wait_loop.hpp"
#include "exchange/plan/plan.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {

// Begins a run, or defers it if the trials do not permit the start yet. `plan.in` and `plan.out` are set.
void start_run(oshen_plan& plan);
// Performs every step that needs no waiting. Returns false when there was none.
bool advance(oshen_plan& plan);
// The same; if there was nothing to do, waits for a peer.
void advance_or_wait(oshen_plan& plan, wait_loop& waiting);

// The time of calls counts for the trials.
class timed_call {
 public:
  explicit timed_call(oshen_plan& plan) : plan_(plan), start_(plan.trials != nullptr ? trials::stopwatch::now() : 0) {}
  ~timed_call() {
    if (plan_.trials != nullptr) plan_.trials->add(trials::stopwatch::now() - start_);
  }
  timed_call(const timed_call&) = delete;
  timed_call& operator=(const timed_call&) = delete;

 private:
  oshen_plan& plan_;
  double start_;
};

}  // namespace oshen::exchange
