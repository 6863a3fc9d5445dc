// A polling wait, for cases that no OpenSHMEM wait covers: several runs under way at once, or a library that cannot
// wait for several variables. Between polls it yields the CPU. A long wait prints warnings and can end the job, as
// waits inside the library do: OSHEN_WAIT_WARN and OSHEN_WAIT_ABORT apply to it too.
#pragma once

#include <functional>
#include <string>

namespace oshen::exchange {

class wait_loop {
 public:
  // `routine` is the API call that waits, for messages.
  explicit wait_loop(const char* routine) : routine_(routine) {}

  // Call it after progress: the wait begins anew.
  void progressed() { since_ = 0; }
  // Call it after a poll without progress. `missing` names the PEs that this PE waits for; it is called only when the
  // wait is long enough for a warning.
  void pause(const std::function<std::string()>& missing);

 private:
  void warn(double waited, const std::string& missing);

  const char* routine_;
  double since_ = 0;  // time of the first poll without progress
  double next_warning_ = 0;
};

}  // namespace oshen::exchange
