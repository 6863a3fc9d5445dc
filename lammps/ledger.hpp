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
  double pack_seconds = 0;          // of carried remaps and transforms
  double wait_seconds = 0;
  double unpack_seconds = 0;
  std::uint64_t transforms = 0;            // whole FFTs done by us
  std::uint64_t transforms_forwarded = 0;  // left to LAMMPS, with remaps that may be ours
  std::uint64_t transforms_refused = 0;    // plans of whole FFTs that could not be ours
  std::uint64_t transforms_checked = 0;    // done by both and found equal within rounding
  double transform_error = 0;              // the largest difference found, of the largest value
  double transform_seconds = 0;  // in FFTs, their remaps and those around them, whoever did them
  double awaited_seconds = 0;    // that others have waited for this rank
};

// What all ranks know together.
struct summary {
  mode how;
  std::span<const ledger> ranks;
  std::string strategies;  // of the plans made: "put_signal 7"
  std::string reasons;     // of plans left to LAMMPS, as rank 0 knows them
};

// For people: the banner, lines that start with "oshen-lammps:".
std::string banner(const summary& s);
// Why nothing was carried; empty when something was, or nothing was to be.
std::string advice(const summary& s);
// For programs: one JSON object.
std::string json(const summary& s);

}  // namespace oshen::lammps
