// What the process does at each signal. Libraries that are opened at run time (libpsm2, UCX) take SIGSEGV and its like
// for backtraces of their own, and one of them then exits with 1. A crash must look the same with and without a
// network.
#pragma once

#include <signal.h>

namespace oshen::os {

// Puts back, at the end of a scope, every action that the process had at its beginning.
class kept_signal_actions {
 public:
  kept_signal_actions();
  ~kept_signal_actions();
  kept_signal_actions(const kept_signal_actions&) = delete;
  kept_signal_actions& operator=(const kept_signal_actions&) = delete;

 private:
  struct sigaction before_[_NSIG];
};

}  // namespace oshen::os
