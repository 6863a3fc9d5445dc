#include "world/current.hpp"

#include "os/process.hpp"

namespace oshen {

constinit context default_context{};
constinit world* current_world = nullptr;
constinit context* private_contexts = nullptr;
constinit std::atomic<bool> leaving{false};
constinit std::atomic<int> failing_with{0};
constinit bool is_child_of_pe = false;

void set_current(world* w) {
  current_world = w;
  private_contexts = w != nullptr ? w->contexts.entries() : nullptr;
  default_context = w != nullptr ? w->default_context : context{};
}

void claim_error_report(world& w) {
  // A process that is in exit() waits for no PE, and its exit status is known.
  if (const int failing = failing_with.load(std::memory_order_relaxed); failing != 0) os::leave_at_once(failing);
  if (w.node().reported.exchange(1, std::memory_order_acq_rel) == 0) return;
  constexpr int patience_ms = 10000;  // enough to print a line on a busy machine
  int status = 1;
  for (int i = 0; i < patience_ms && !w.launcher->job_ending(status); ++i) os::nap(1000000);
  os::leave_at_once(status);
}

void end_job(world* w, int exit_status, bool quiet) {
  if (leaving.exchange(true)) os::leave_at_once(exit_status);  // another thread is ending the job already
  os::wait_for_reader_of_errors();
  if (w != nullptr) w->launcher->end_job(exit_status, quiet);
  if (quiet) os::leave_normally(exit_status);
  os::leave_at_once(exit_status);
}

}  // namespace oshen
