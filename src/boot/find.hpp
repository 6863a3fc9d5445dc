// Which way a process becomes a PE: one table, from the most to the least particular. All ways are looked at.
#pragma once

#include "boot/boot.hpp"
#include "boot/directory.hpp"

namespace oshen::boot {

inline constexpr int n_ways = 5;

struct way {
  const char* name;           // as OSHEN_BOOT has it
  const char* about;
  bool seen;                  // its signs are there
  bool usable;
  job_rank where;             // when usable
  char reason[reason_bytes];  // else
};

struct outlook {
  way ways[n_ways];
  int taken;                     // -1: none, and the job must not start
  char refusal[3 * reason_bytes];  // then: why, and what to do
};

// Looks at the ways in turn until one leads to company, or at `every` one; sessions of launchers stay open.
void look_around(outlook& all, bool every);

// The boot of this process, joined; collective over the PEs of the job. `warn` and `abort`: boot.hpp.
status find_boot(boot*& found, unsigned warn_seconds, unsigned abort_seconds);

}  // namespace oshen::boot
