// What the accelerator did in one process, and the words for what it did in all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mode.hpp"

namespace oshen::lammps {

// Plain data: gathered from all ranks as bytes.
struct ledger {
  std::uint64_t plans = 0;          // made by LAMMPS
  std::uint64_t plans_refused = 0;  // of those, left to LAMMPS because ours could not be made
  std::uint64_t carried = 0;        // remaps done by us
  std::uint64_t forwarded = 0;      // remaps left to LAMMPS
  std::uint64_t checked = 0;        // remaps done by both and found equal
  std::uint64_t bytes = 0;          // of carried remaps, sent to other ranks
  std::uint64_t bytes_direct = 0;   // of those, packed straight into the receiver's memory
  double seconds = 0;               // in carried or forwarded remaps, whoever did them
  double pack_seconds = 0;          // of carried remaps
  double wait_seconds = 0;
  double unpack_seconds = 0;
};

// For people: the banner, lines that start with "oshen-lammps:".
std::string banner(mode how, std::span<const ledger> ranks);
// For programs: one JSON object.
std::string json(mode how, std::span<const ledger> ranks);

}  // namespace oshen::lammps
