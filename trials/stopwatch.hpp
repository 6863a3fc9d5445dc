// Adds the time of a block to a sum of seconds.
#pragma once

#include <chrono>

namespace oshen::trials {

class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds), start_(now()) {}
  ~stopwatch() { seconds_ += now() - start_; }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  static double now() {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
  }

 private:
  double& seconds_;
  double start_;
};

}  // namespace oshen::trials
