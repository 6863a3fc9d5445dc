// The choices of mode `best` in this process, by kind of FFT: for later plans of the same kind, the banner, the report.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "oshen/fft.h"

namespace oshen::lammps {

struct fft_choice {
  bool ours;                // the whole FFT; otherwise LAMMPS transforms
  oshen_fft_scale_t scale;  // of LAMMPS in this direction
  std::string text;         // what was chosen and why
  std::size_t plans = 1;    // that use it
};

class fft_choices {
 public:
  // `kind`: the bytes of the arguments that made the plan, and the direction. Null if nothing was decided for it.
  const fft_choice* find(const std::string& kind) const;
  // Enters a decision. One for the same kind replaces the earlier one and keeps its count of plans.
  void add(const std::string& kind, fft_choice choice);
  // Counts one more plan of a known kind.
  void count(const std::string& kind) { known_.at(kind).plans++; }
  // A text for each kind, such as "FFT 40 x 48 x 48 forward: whole FFT, 1.20 ms against 3.41 ms by LAMMPS (2 plans)".
  std::vector<std::string> lines() const;

 private:
  std::map<std::string, fft_choice> known_;
};

}  // namespace oshen::lammps
