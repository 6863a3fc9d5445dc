// The signs by which launchers show themselves: variables. So that a job of many is never mistaken for many jobs of
// one.
#pragma once

#include <cstdint>

namespace oshen::boot {

struct sign {
  const char* launcher;
  const char* variable;       // set: this launcher; its value is the number of the process, from 0
  const char* size_variable;  // how many processes; null: it does not say
  const char* node_variable;  // null: it does not say
  bool rendezvous;            // the variables say enough for the PEs to find each other
  bool needs_size;            // without the size it is no sign: the name is too common, or set in batch scripts too

  bool seen() const;
  int pe() const;
  int n_pes() const;          // 0: unknown
  std::uint64_t node() const; // 0: unknown, else counted from 1
};

// The sign of the largest job, of all that are seen; null: none. A sign of unknown size counts as large.
const sign* largest_sign();
// The sign of a job of several whose PEs can find each other by variables; null: none.
const sign* rendezvous_sign();

}  // namespace oshen::boot
