// The environment variables of `oshcc --races`, which are read when the detector starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "region.hpp"

namespace races {

// A line of the file OSHEN_RACES_SUPPRESS.
struct suppression {
  enum class kind { place, object } of;
  std::string pattern;  // of fnmatch
};

struct choices {
  bool strict = false;      // OSHEN_RACES_STRICT: of collectives, only barriers and syncs order anything
  std::string report_file;  // OSHEN_RACES_REPORT
  std::vector<suppression> suppressions;
  std::uint32_t first_clock = 1;                         // OSHEN_TEST_RACES_CLOCK, for tests of the last clock
  std::uint32_t most_kinds = region_header::most_kinds;  // OSHEN_TEST_RACES_KINDS, for tests of a full table
};

// Returns what is wrong with them, or "".
std::string read_settings();
const choices& chosen();

}  // namespace races
