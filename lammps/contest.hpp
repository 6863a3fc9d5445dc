// The contest of mode `best`: Oshen does the whole FFT, or LAMMPS does it with its remaps carried. The first runs of a
// plan compare them, so no run is wasted but the first, which both do. Arithmetic only: every rank enters the same
// times and decides the same.
#pragma once

#include <string>

namespace oshen::lammps {

class contest {
 public:
  enum class turn { both, ours, theirs };

  // Who does the next run.
  turn next() const { return round_ == 0 ? turn::both : ours_ran_ ? turn::theirs : turn::ours; }
  // After a run of Oshen alone: LAMMPS' turn in this round follows.
  void ours_ran() { ours_ran_ = true; }
  // Ends a round with the seconds of both on the slowest rank.
  void finish_round(double ours, double theirs);

  bool decided() const { return decided_; }
  // After the decision. Oshen must be faster by a few percent, because its results differ by rounding.
  bool takes_ours() const { return ours_ < required_gain * theirs_; }
  // A text such as "whole FFT, 1.20 ms against 3.41 ms by LAMMPS".
  std::string text() const;

 private:
  static constexpr double required_gain = 0.97;
  static constexpr double clear = 1.5;  // a side that takes this much longer is not run again
  static constexpr int warm_rounds = 2;

  double ours_ = 0, theirs_ = 0;  // the shortest times of the rounds that count
  int round_ = 0;                 // 0: both sides are cold
  bool ours_ran_ = false, decided_ = false;
};

}  // namespace oshen::lammps
