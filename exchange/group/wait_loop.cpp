#include "exchange/group/wait_loop.hpp"

#include <sched.h>
#include <shmem.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

// A number of seconds. The library checked the format at its start.
double seconds_of(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), otherwise);
  return otherwise;
}

}  // namespace

void wait_loop::pause(const std::function<std::string()>& missing) {
  static const double warn_after = seconds_of("OSHEN_WAIT_WARN", 30), abort_after = seconds_of("OSHEN_WAIT_ABORT", 0);
  const double now = trials::stopwatch::now();
  if (since_ == 0) {
    since_ = now;
    next_warning_ = warn_after;
  }
  const double waited = now - since_;
  if (warn_after > 0 && waited >= next_warning_) {
    next_warning_ *= 2;
    warn(waited, missing());
  }
  if (abort_after > 0 && waited >= abort_after) {
    std::fprintf(stderr, "oshen exchange: PE %d: %s: waited %.0f s (OSHEN_WAIT_ABORT); ending the job\n", shmem_my_pe(),
                 routine_, waited);
    shmem_global_exit(1);
  }
  sched_yield();
}

void wait_loop::warn(double waited, const std::string& missing) {
  std::fprintf(stderr,
               "oshen exchange: PE %d: %s: waiting for %s, for %.0f s now: all PEs must make "
               "the same collective calls in the same order\n",
               shmem_my_pe(), routine_, missing.c_str(), waited);
}

}  // namespace oshen::exchange
