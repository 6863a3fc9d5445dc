// OSHEN_LAMMPS: what the accelerator does, as words separated by commas.
#pragma once

#include <span>
#include <string>

namespace oshen::lammps {

struct mode {
  bool carries = true;            // we do the work; else LAMMPS does, and we time it
  bool transforms = false;        // whole three-dimensional FFTs, not their remaps only
  bool checks = false;            // LAMMPS does the work as well, and the results are compared
  bool stats = false;             // times per phase and rank in the banner
  std::string strategy = "auto";  // of exchange plans: how ranks synchronise
};

inline constexpr const char* mode_variable = "OSHEN_LAMMPS";
inline constexpr const char* report_variable = "OSHEN_LAMMPS_REPORT";  // file for the JSON report

// Null or empty is `on`. Returns what is wrong with the words, or nothing.
std::string parse(const char* words, std::span<const std::string> strategies, mode& result);
// The shortest words for it.
std::string name(const mode& m);

}  // namespace oshen::lammps
