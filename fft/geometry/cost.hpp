// The cost of a route: the memory traffic of its passes, and a model of the time they take. Arithmetic only.
#pragma once

#include <cstdint>

#include "fft/geometry/steps.hpp"

namespace oshen::fft {

// The traffic of one PE in one stage, with all fields.
struct stage_traffic {
  std::uint64_t read = 0;      // bytes, from arrays.
  std::uint64_t written = 0;   // bytes, into arrays.
  std::uint64_t in_place = 0;  // of these, bytes written where they were read.
  std::uint64_t remote = 0;    // bytes read from or written to arrays of other PEs, or sent to them.
  std::uint64_t messages = 0;  // to or from other PEs.
  double rows = 0;             // contiguous rows of all copies.
  double remote_rows = 0;      // of these, in arrays of other PEs.
};

stage_traffic traffic_of(const route& chain, const std::vector<step>& steps, const fft_problem& problem,
                         std::size_t stage, int pe);

// Assumed speed of the machine, in seconds; only the ratios matter.
struct machine_model {
  double per_byte = 0.08e-9;       // read from memory or written back; a written line is read first
  double move_per_byte = 0.10e-9;  // in addition, if another PE's cache has the line
  double message = 0.5e-6;
  double neighbour_sync = 3e-6;
  double row = 6e-9;          // each contiguous row of a copy
  double remote_row = 25e-9;  // in the array of another PE, before prefetching helps
  double cache_bytes = 2 << 20;
};

// Seconds of a forward transform. In each stage the slowest PE counts.
double cost(const route& chain, const fft_problem& problem, const machine_model& on);

}  // namespace oshen::fft
