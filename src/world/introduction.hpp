// What the PEs tell each other before there is a segment, and what follows from it for all of them alike.
#pragma once

#include "os/identity.hpp"
#include "world/roll_call.hpp"
#include "world/world.hpp"

namespace oshen {

// What each PE tells all others about itself.
struct introduction {
  std::uint64_t data_bytes;
  std::uint64_t heap_bytes;      // 0: no wish
  std::uint64_t address_space;   // what RLIMIT_AS leaves
  std::uint64_t memory;          // of the node, or of this PE's control group
  std::uint64_t agreed_settings; // a hash of the settings that must be the same everywhere
  std::uint64_t preferences;     // and of the tuning file
  std::uint64_t pid_namespace;
  std::uint64_t cpus[os::mask_words];
  std::int32_t pid;
  std::uint32_t control_bytes;   // PEs of different releases must not meet
};

using introductions = roll_call<introduction>;

introduction introduce(const world& w);

// All PEs run one program, one release and the same settings; else a line and `mismatch`.
status compare(const world& w, const introductions& all);

// Bytes of heap for each PE: the largest wish; without one, a fair share of the node's memory, as far as address
// space is limited.
std::size_t agree_on_heap(const world& w, const introductions& all);

// CPUs that the PEs may use together.
int cpus_of_all(const world& w, const introductions& all);

// A process number of one PE means the same process to every other.
bool one_pid_namespace(const world& w, const introductions& all);

}  // namespace oshen
