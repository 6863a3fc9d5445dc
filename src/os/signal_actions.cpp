#include "os/signal_actions.hpp"

namespace oshen::os {
namespace {

// glibc reserves some signals and refuses their numbers.
bool get(int signal, struct sigaction& action) { return sigaction(signal, nullptr, &action) == 0; }

// sa_handler and sa_sigaction are one word.
bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_flags == b.sa_flags && a.sa_handler == b.sa_handler;
}

}  // namespace

kept_signal_actions::kept_signal_actions() {
  for (int signal = 1; signal < _NSIG; ++signal)
    if (!get(signal, before_[signal])) before_[signal] = {};
}

kept_signal_actions::~kept_signal_actions() {
  for (int signal = 1; signal < _NSIG; ++signal) {
    struct sigaction now;
    if (get(signal, now) && !same(now, before_[signal])) sigaction(signal, &before_[signal], nullptr);
  }
}

}  // namespace oshen::os
