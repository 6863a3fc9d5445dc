// What the user and oshtune want instead of the cost model's choice, as one list of rules: first those of the settings
// OSHEN_COLL_<NAME>, then those of this user's file for this machine, then those of the tuning file (format:
// docs/user/tuning.md). Read once, when the library starts.
#pragma once

#include <span>

#include "base/status.hpp"
#include "coll/collective.hpp"

namespace oshen::coll {

// own: a CPU for each PE; across: the team spans nodes, and what was measured on one says nothing
enum class cpu_sharing : std::uint8_t { any, own, shared, network_cost };

inline constexpr int any_algorithm = -1;  // "auto"

struct rule {
  kind collective;
  cpu_sharing cpus = cpu_sharing::any;
  int least_pes = 1;
  int most_pes = 1 << 30;
  std::size_t up_to = SIZE_MAX;         // bytes of one PE
  int algorithm_index = any_algorithm;  // index into registry()
  int line = 0;                         // of its file; 0: a setting
  bool of_machine = false;              // in the user's file for this machine

  bool from_setting() const { return line == 0; }
};

// One block of memory, to be given back with free(). The rules follow it.
struct preferences {
  machine here;
  std::uint64_t digest = 0;  // of the tuning file's text; 0: there is none
  char file[512] = "";       // its path; "" when there is none
  // The user's file for this machine: its path, "" when it is not used; a digest of both texts, and the costs without
  // it.
  char machine_file[512] = "";
  std::uint64_t digest_of_both = 0;
  machine without;
  int n_rules = 0;

  rule* rules() { return reinterpret_cast<rule*>(this + 1); }
  std::span<const rule> all() const {
    return {reinterpret_cast<const rule*>(this + 1), static_cast<std::size_t>(n_rules)};
  }
};

// Reads the settings and the tuning file: that of OSHEN_COLL_TUNING, else the user's for this machine and the one
// installed beside the library, as far as they are there. A line and bad_setting for what cannot be understood, but not
// in the file for this machine: that is left out as a whole, and if this PE `speaks` a line says so.
status read_preferences(preferences*& out, bool speaks = true);

// PEs that find different files for their machines go on without.
void leave_out_machine_file(preferences& p);

// OSHEN_COLL_REDUCE and so on; both scans share one.
struct setting_name {
  explicit setting_name(kind k);
  char text[48];
};

// Index of the row, -1 when the collective has none of that name.
int find_algorithm(kind k, const char* name);

}  // namespace oshen::coll
