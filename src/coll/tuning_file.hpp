// What the user and oshtune want instead of the cost model's choice, as one list of rules: first those of the settings
// OSHEN_COLL_<NAME>, then those of the tuning file (format: docs/user/tuning.md). Read once, when the library starts.
#pragma once

#include <span>

#include "base/status.hpp"
#include "coll/registry.hpp"

namespace oshen::coll {

enum class crowding : std::uint8_t { any, own, shared };  // own: a CPU for each PE

inline constexpr int any_row = -1;  // "auto"

struct rule {
  kind collective;
  crowding cpus = crowding::any;
  int least_pes = 1;
  int most_pes = 1 << 30;
  std::size_t up_to = SIZE_MAX;  // bytes of one PE
  int row = any_row;             // index into registry()
  int line = 0;                  // of the tuning file; 0: a setting

  bool from_setting() const { return line == 0; }
};

// One block of memory, to be given back with free(). The rules follow it.
struct preferences {
  machine here;
  std::uint64_t digest = 0;  // of the tuning file's text; 0: there is none
  char file[512] = "";       // its path; "" when there is none
  int n_rules = 0;

  rule* rules() { return reinterpret_cast<rule*>(this + 1); }
  std::span<const rule> all() const {
    return {reinterpret_cast<const rule*>(this + 1), static_cast<std::size_t>(n_rules)};
  }
};

// Reads the settings and the tuning file: that of OSHEN_COLL_TUNING, else the one installed beside the library, if there
// is one. A line and bad_setting for what cannot be understood.
status read_preferences(preferences*& out);

// OSHEN_COLL_REDUCE and so on; both scans share one.
struct setting_name {
  explicit setting_name(kind k);
  char text[48];
};

// Index of the row, -1 when the collective has none of that name.
int find_row(kind k, const char* name);

}  // namespace oshen::coll
