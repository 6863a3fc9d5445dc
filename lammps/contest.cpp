#include "contest.hpp"

#include <algorithm>
#include <cstdio>

namespace oshen::lammps {

// The times of the cold round count only if Oshen is clearly faster in it: its plan, memory and trials are what is
// cold.
void contest::finish_round(double ours, double theirs) {
  ours_ran_ = false;
  const bool first = round_ <= 1;
  ours_ = first ? ours : std::min(ours_, ours);
  theirs_ = first ? theirs : std::min(theirs_, theirs);
  const bool ours_lead = clear * ours_ < theirs_, theirs_lead = clear * theirs_ < ours_;
  decided_ = ours_lead || (round_ > 0 && theirs_lead) || round_ == warm_rounds;
  round_++;
}

std::string contest::text() const {
  char line[120];
  const double in_ms = 1e3;
  if (takes_ours())
    std::snprintf(line, sizeof line, "whole FFT, %.3g ms against %.3g ms by LAMMPS", ours_ * in_ms, theirs_ * in_ms);
  else
    std::snprintf(line, sizeof line, "LAMMPS' FFT, %.3g ms against %.3g ms by Oshen", theirs_ * in_ms, ours_ * in_ms);
  return line;
}

}  // namespace oshen::lammps
