// What is kept of each call, and of each PE: as it travels to PE 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace.h"

namespace oshtrace {

inline constexpr std::int64_t nowhere = INT64_MIN;

// A symmetric object has the same number on all PEs, whatever its address.
struct record {
  std::uint64_t began, ended;  // by this PE's clock, in nanoseconds
  std::uint64_t bytes;
  std::int64_t place, signal;
  std::uint64_t group;
  std::uint32_t name;     // index
  std::int32_t pe;
  std::uint32_t context;  // 0: the default one; others as they came
  std::uint16_t thread;
  std::uint8_t kind;
  std::uint8_t unused;

  oshtrace_kind what() const { return static_cast<oshtrace_kind>(kind); }
  bool writes() const { return what() == oshtrace_put || what() == oshtrace_change; }
  bool is_collective() const { return what() == oshtrace_collective || what() == oshtrace_rooted; }
};

// How far this PE's clock was ahead of PE 0's, and when.
struct clock_reading {
  std::uint64_t at = 0;
  std::int64_t ahead = 0;
};

struct pe_trace {
  std::string host;
  clock_reading first, last;
  std::uint64_t dropped = 0;  // calls for which there was no room
  std::vector<std::string> names;
  std::vector<record> records;

  std::string packed() const;
  static pe_trace unpacked(const std::string& bytes);

  // A time of this PE by the clock of PE 0: clocks drift evenly between the two readings.
  std::int64_t aligned(std::uint64_t time) const;
};

std::uint64_t now();

// Compares this PE's clock with PE 0's; PEs that reach its memory share it. Collective.
clock_reading compare_clocks();

// Brings the traces of all PEs to PE 0; empty on the others. Collective.
std::vector<pe_trace> gather(const pe_trace& mine);

// The timeline, as JSON in the format of Chrome's tracing. False: errno says why.
bool write_story(const char* path, const std::vector<pe_trace>& all);

}  // namespace oshtrace
