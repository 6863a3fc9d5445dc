// The records of calls and of PEs, in the form in which they are sent to PE 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace.h"

namespace oshtrace {

inline constexpr std::int64_t no_object = INT64_MIN;

// A call. A symmetric object has the same number on all PEs, independent of its address.
struct record {
  std::uint64_t began, ended;  // by this PE's clock, in nanoseconds
  std::uint64_t bytes;
  std::int64_t object, signal;
  std::uint64_t group;
  std::uint64_t
      caller;          // offset of the return address in the program; 0: elsewhere. Of a race: that of the other access
  std::uint32_t name;  // index in pe_trace::names; of a race: the report
  std::int32_t pe;
  std::uint32_t context;  // 0: the default context; others in order of first use
  std::uint16_t thread;
  std::uint8_t kind;
  std::uint8_t unused;

  oshtrace_kind call_kind() const { return static_cast<oshtrace_kind>(kind); }
  bool writes() const { return call_kind() == oshtrace_put || call_kind() == oshtrace_atomic; }
  bool is_collective() const { return call_kind() == oshtrace_collective || call_kind() == oshtrace_rooted; }
};

// The difference of this PE's clock to PE 0's, and when it was measured.
struct clock_reading {
  std::uint64_t at = 0;
  std::int64_t ahead = 0;
};

struct pe_trace {
  std::string host;
  clock_reading first, last;
  std::uint64_t dropped = 0;  // calls that exceeded the limit
  std::vector<std::string> names;
  std::vector<record> records;

  std::string packed() const;
  static pe_trace unpacked(const std::string& bytes);

  // Converts a time of this PE to the clock of PE 0. Clocks are assumed to drift evenly between the two readings.
  std::int64_t aligned(std::uint64_t time) const;
};

std::uint64_t now();

// Compares this PE's clock with PE 0's. PEs that can map its memory share its clock. Collective.
clock_reading compare_clocks();

// Gathers the traces of all PEs on PE 0; returns an empty list on the others. Collective.
std::vector<pe_trace> gather(const pe_trace& mine);

// Writes the timeline as JSON in Chrome's trace event format. Returns false with errno set.
bool write_timeline(const char* path, const std::vector<pe_trace>& all);

}  // namespace oshtrace
