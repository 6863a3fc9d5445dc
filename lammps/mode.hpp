// The variable OSHEN_LAMMPS: what the accelerator does, as words separated by commas.
#pragma once

#include <span>
#include <string>

namespace oshen::lammps {

struct run_mode {
  bool carries = true;            // the accelerator does the remaps; otherwise LAMMPS does, and is timed.
  bool transforms = false;        // whole three-dimensional FFTs, not only their remaps.
  bool best = false;              // whole FFTs only where they are faster; `transforms` is true as well.
  bool checks = false;            // LAMMPS does the work too, and the results are compared.
  bool stats = false;             // times per phase and rank in the banner.
  std::string strategy = "auto";  // strategy of exchange plans.
};

inline constexpr const char* mode_variable = "OSHEN_LAMMPS";
inline constexpr const char* report_variable = "OSHEN_LAMMPS_REPORT";  // path of the JSON report

// Parses the words; null or empty means `on`. Returns an error message, or an empty string.
std::string parse(const char* words, std::span<const std::string> strategies, run_mode& result);
// The shortest words for this mode.
std::string name(const run_mode& m);

}  // namespace oshen::lammps
