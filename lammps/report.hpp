// The counters of one process, and the banner and report made from those of all processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mode.hpp"

namespace oshen::lammps {

// Plain data: gathered from all ranks as bytes.
struct counters {
  std::uint64_t plans = 0;          // made by LAMMPS.
  std::uint64_t plans_refused = 0;  // of those, left to LAMMPS because no exchange plan could be made.
  std::uint64_t carried = 0;        // remaps done by the accelerator.
  std::uint64_t forwarded = 0;      // remaps left to LAMMPS.
  std::uint64_t checked = 0;        // remaps done by both and found equal.
  std::uint64_t bytes = 0;          // of carried remaps, sent to other ranks.
  std::uint64_t bytes_direct = 0;   // of those, packed straight into the receiver's memory.
  double seconds = 0;               // in carried and forwarded remaps.
  double pack_seconds = 0;          // of carried remaps and transforms.
  double wait_seconds = 0;
  double unpack_seconds = 0;
  std::uint64_t transforms = 0;            // whole FFTs done by the accelerator.
  std::uint64_t transforms_forwarded = 0;  // left to LAMMPS, whose remaps may still be carried.
  std::uint64_t transforms_refused = 0;    // FFT plans that the accelerator could not take over.
  std::uint64_t transforms_checked = 0;    // done by both and found equal within rounding.
  std::uint64_t transforms_compared = 0;   // done by both in mode `best`, to find out which one to use.
  double transform_error = 0;              // the largest difference, relative to the largest value.
  double transform_seconds = 0;            // in FFTs, their remaps and those around them, by the accelerator or LAMMPS.
  double awaited_seconds = 0;              // time that other ranks waited for this rank.
};

// The reasons why plans were left to LAMMPS.
class refusal_reasons {
 public:
  // Counts one plan. Returns true if the reason is new, and should be printed.
  bool add(const std::string& why);
  // A text such as "not enough memory (3); ... (1)" for the banner and the report.
  std::string text() const;

 private:
  std::map<std::string, std::size_t> plans_;
};

// The strategies of plans, and where they came from.
class strategy_counts {
 public:
  void add(const char* strategy, const char* source) { plans_[strategy][source]++; }
  // A text such as "pipeline 5 (file 1, measured 4), put_signal 2 (measured 2)"; without a source that was requested.
  std::string text() const;

 private:
  std::map<std::string, std::map<std::string, std::size_t>> plans_;
};

// The results of all ranks.
struct summary {
  run_mode mode;
  std::span<const counters> ranks;
  std::string strategies;   // of the plans made: "put_signal 7"
  std::string reasons;      // why plans were left to LAMMPS, as counted on rank 0
  double trial_budget = 0;  // seconds that trials of strategies may lose, and that they lost on rank 0
  double trial_loss = 0;
  std::vector<std::string> choices{};  // of mode `best` on rank 0
};

// The banner, in lines that start with "oshen-lammps:".
std::string banner(const summary& s);
// The reason why nothing was carried; empty if something was, or if the mode is off.
std::string advice(const summary& s);
// The report as one JSON object.
std::string json(const summary& s);

}  // namespace oshen::lammps
