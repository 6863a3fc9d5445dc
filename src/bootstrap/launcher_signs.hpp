// Environment variables by which launchers are recognised, so that a multi-PE job is never mistaken for several
// single-PE jobs.
#pragma once

#include <cstdint>

namespace oshen::bootstrap {

struct launcher_sign {
  const char* launcher_name;
  const char* variable;       // the rank of the process, from 0; set by this launcher
  const char* size_variable;  // the number of processes; null: the launcher does not set one
  const char* node_variable;  // null: the launcher does not set one
  bool rendezvous;            // the variables suffice for the PEs to find each other
  bool needs_size;  // valid only with a size: the variable is also set elsewhere, for example in batch scripts

  bool is_set() const;
  int pe() const;
  int n_pes() const;           // 0: unknown
  std::uint64_t node() const;  // counted from 1; 0: unknown
};

// The sign of the largest job among all signs that are set; null: none is set. A sign of unknown size counts as the
// largest.
const launcher_sign* largest_sign();
// The sign of a multi-PE job whose PEs can find each other by variables; null: none.
const launcher_sign* rendezvous_sign();

}  // namespace oshen::bootstrap
