// What a route costs: what its passes read and write where, and the time a model gives to that.
// Pure arithmetic.
#pragma once

#include <cstdint>

#include "steps.hpp"

namespace oshen::fft {

// What one PE does in one stage, with all fields.
struct burden {
  std::uint64_t read = 0;      // bytes, from arrays
  std::uint64_t written = 0;   // bytes, into arrays
  std::uint64_t in_place = 0;  // of these, where they were read
  std::uint64_t foreign = 0;   // read from or written to arrays of other PEs, or sent to them
  std::uint64_t messages = 0;  // to or from other PEs
  double runs = 0;             // contiguous pieces of all copies
  double foreign_runs = 0;     // of these, in arrays of other PEs
};

burden burden_of(const route& way, const std::vector<step>& steps, const problem& what,
                 std::size_t stage, int pe);

// What the machine is taken to be able to do; only the ratios matter.
struct machine {
  double per_byte = 0.08e-9;       // from memory, or back; a line written must come first
  double move_per_byte = 0.10e-9;  // more, when another PE's cache has it
  double message = 0.5e-6;
  double neighbour_sync = 3e-6;
  double run = 6e-9;           // each contiguous run of a copy
  double foreign_run = 25e-9;  // in the array of another PE: until it streams
  double cache_bytes = 2 << 20;
};

// Seconds of a forward transform: the slowest PE counts in each stage.
double cost(const route& way, const problem& what, const machine& on);

}  // namespace oshen::fft
