// A wait that looks by itself, where no wait of OpenSHMEM covers all that may come: several runs
// under way at once, or a library without waits on several words. It gives the CPU to others
// between looks, and when it lasts it says so, as the waits of the library do: OSHEN_WAIT_WARN and
// OSHEN_WAIT_ABORT hold for it too.
#pragma once

#include <functional>
#include <string>

struct oshen_arena;

namespace oshen::exchange {

class backoff {
 public:
  // `routine` is what the program has called.
  explicit backoff(const char* routine) : routine_(routine) {}

  // Something has happened: the wait begins anew.
  void moved() { since_ = 0; }
  // Nothing has. `whom` names who is waited for; it is asked when the wait has lasted.
  void pause(const std::function<std::string()>& whom);

 private:
  void speak(double waited, const std::string& whom);

  const char* routine_;
  double since_ = 0;  // the first look at which nothing had happened
  double next_warning_ = 0;
};

// Who is missing in the runs under way: "PE 2 (put_signal, run 17), ...".
std::string whom_runs_need(const oshen_arena& arena);

}  // namespace oshen::exchange
