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
  private_contexts = w != nullptr ? w->contexts.places() : nullptr;
  default_context = w != nullptr ? w->default_context : context{};
}

void end_job(world* w, int exit_status, bool quiet) {
  if (leaving.exchange(true)) os::leave_at_once(exit_status);  // already on the way out
  if (w != nullptr) w->launcher->end_job(exit_status, quiet);
  if (quiet) os::leave_normally(exit_status);
  os::leave_at_once(exit_status);
}

}  // namespace oshen
