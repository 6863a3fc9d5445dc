// OSHEN_LAMMPS: what the accelerator does with a remap.
#pragma once

#include <cstdint>

namespace oshen::lammps {

enum class mode : std::int32_t {
  on,     // carries remaps; a banner at the end
  stats,  // the same, with times per phase and rank
  check,  // carries them, lets LAMMPS do them as well, compares every byte
  off,    // lets LAMMPS do them, and times that
};

inline constexpr const char* mode_variable = "OSHEN_LAMMPS";
inline constexpr const char* mode_words = "on, stats, check or off";
inline constexpr const char* report_variable = "OSHEN_LAMMPS_REPORT";  // file for the JSON report

constexpr bool carries(mode m) {
  return m != mode::off;
}

// Null or empty is `on`. False when the word is none of the above.
bool parse(const char* word, mode& result);
const char* name(mode m);

}  // namespace oshen::lammps
