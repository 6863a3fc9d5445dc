#include "backoff.hpp"

#include <sched.h>
#include <shmem.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "run.hpp"
#include "stopwatch.hpp"

namespace oshen::exchange {
namespace {

// A number of seconds; what is none has been refused when the library started.
double seconds_of(const char* setting, double otherwise) {
  const char* text = std::getenv(setting);
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), otherwise);
  return otherwise;
}

template <class Parcels, class Missing>
void name_peers(const Parcels& parcels, Missing missing, std::string& names) {
  int named = 0;
  for (const auto& p : parcels) {
    if (!missing(p) || ++named > 8) continue;  // the rest is told by their own lines
    names += (names.empty() ? "PE " : ", PE ") + std::to_string(p.pe);
  }
}

std::string whom_run_needs(const oshen_plan& plan) {
  std::string names;
  name_peers(
      plan.receives, [](const incoming& p) { return p.state == incoming_state::expected; }, names);
  if (names.empty()) {
    name_peers(
        plan.sends, [](const outgoing& p) { return p.state != outgoing_state::sent; }, names);
  }
  if (names.empty()) names = "the barrier at its end";
  return names + " (" + plan.how->name + ", run " + std::to_string(plan.run) + ")";
}

}  // namespace

void backoff::pause(const std::function<std::string()>& whom) {
  static const double warn = seconds_of("OSHEN_WAIT_WARN", 30),
                      abort = seconds_of("OSHEN_WAIT_ABORT", 0);
  const double now = stopwatch::now();
  if (since_ == 0) {
    since_ = now;
    next_warning_ = warn;
  }
  const double waited = now - since_;
  if (warn > 0 && waited >= next_warning_) {
    next_warning_ *= 2;
    speak(waited, whom());
  }
  if (abort > 0 && waited >= abort) {
    std::fprintf(stderr,
                 "oshen exchange: PE %d: %s: waited %.0f s (OSHEN_WAIT_ABORT); ending the job\n",
                 shmem_my_pe(), routine_, waited);
    shmem_global_exit(1);
  }
  sched_yield();
}

void backoff::speak(double waited, const std::string& whom) {
  std::fprintf(stderr,
               "oshen exchange: PE %d: %s: waiting for %s, for %.0f s now: all PEs must make "
               "the same collective calls in the same order\n",
               shmem_my_pe(), routine_, whom.c_str(), waited);
}

std::string whom_runs_need(const oshen_arena& arena) {
  std::string text;
  for (const oshen_plan* plan : arena.active)
    if (!done(*plan)) text += (text.empty() ? "" : "; ") + whom_run_needs(*plan);
  return text;
}

}  // namespace oshen::exchange
