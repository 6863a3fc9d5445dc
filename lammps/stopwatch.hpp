// Stopwatches that add their lifetime to a sum.
#pragma once

#include <chrono>

namespace oshen::lammps {

class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds) {}
  ~stopwatch() { seconds_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  using clock = std::chrono::steady_clock;
  double& seconds_;
  clock::time_point start_ = clock::now();
};

// The same for nested work: of stopwatches that share a depth, only the outermost counts.
class outermost_stopwatch {
 public:
  outermost_stopwatch(int& depth, double& seconds) : depth_(depth), watch_(depth++ == 0 ? seconds : nested_) {}
  ~outermost_stopwatch() { depth_--; }
  outermost_stopwatch(const outermost_stopwatch&) = delete;
  outermost_stopwatch& operator=(const outermost_stopwatch&) = delete;

 private:
  int& depth_;
  double nested_ = 0;
  stopwatch watch_;
};

}  // namespace oshen::lammps
