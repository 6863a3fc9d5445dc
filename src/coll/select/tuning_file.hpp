// Rules of the user and of oshtune that override the cost model, in one list. First come the rules of the settings
// OSHEN_COLL_<NAME>, then those of the user's file for this machine, then those of the tuning file. They are read once,
// when the library starts. docs/user/tuning.md describes the format.
#pragma once

#include <span>

#include "base/status.hpp"
#include "coll/collective.hpp"

namespace oshen::coll {

// The situation to which a rule applies. own: each PE has a CPU of its own. shared: PEs share CPUs. across: the team
// spans nodes, where measurements on one node do not apply.
enum class cpu_sharing : std::uint8_t { any, own, shared, across };

inline constexpr int any_algorithm = -1;  // "auto"

struct rule {
  kind collective;
  cpu_sharing cpus = cpu_sharing::any;
  int least_pes = 1;
  int most_pes = 1 << 30;
  std::size_t up_to = SIZE_MAX;         // bytes of one PE
  int algorithm_index = any_algorithm;  // index into registry()
  int line = 0;                         // in its file; 0: a setting
  bool of_machine = false;              // in the user's file for this machine

  bool from_setting() const { return line == 0; }
};

// One block of memory: this struct and, behind it, the rules. free() releases it.
struct tuning_rules {
  machine here;
  std::uint64_t digest = 0;  // of the text of the tuning file; 0: there is none
  char file[512] = "";       // the path of that file; "" if there is none
  // The path of the user's file for this machine, or "" if it is not used; a digest of both files; and the costs
  // without the user's file.
  char machine_file[512] = "";
  std::uint64_t digest_of_both = 0;
  machine without;
  int n_rules = 0;

  rule* rules() { return reinterpret_cast<rule*>(this + 1); }
  std::span<const rule> all() const {
    return {reinterpret_cast<const rule*>(this + 1), static_cast<std::size_t>(n_rules)};
  }
};

// Reads the settings and the file of OSHEN_COLL_TUNING. If that is unset or auto, reads the user's file for this
// machine and the file installed beside the library, if they exist. An error gives a line and bad_setting. An error in
// the user's file only excludes that file, and this PE prints a line about it if it `speaks`.
status read_tuning(tuning_rules*& out, bool speaks = true);

// Removes the rules and costs of the user's file for this machine, because PEs have found different files.
void leave_out_machine_file(tuning_rules& p);

// The name of the setting of a collective, such as OSHEN_COLL_REDUCE. Both scans share one setting.
struct setting_name {
  explicit setting_name(kind k);
  char text[48];
};

// The index of the algorithm in registry(); -1 if the collective has none of that name.
int find_algorithm(kind k, const char* name);

}  // namespace oshen::coll
