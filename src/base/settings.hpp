// Settings: environment variables, listed in spec/settings.def and read once per initialisation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace oshen {

// One row of the generated table (spec/settings.def), which help and oshinfo print.
struct setting_row {
  const char* name;
  const char* alias;  // older name, lower priority; "" = none
  const char* type;
  const char* fallback;  // the default, in words or as a value
  const char* about;
};

// The agent of atomic operations in jobs on several nodes (OSHEN_ATOMICS).
enum class atomics_policy : std::uint8_t { automatic, by_cpu, by_card };

struct settings {
  bool show_version = false;
  bool show_help = false;
  bool debug = false;
  std::size_t heap_bytes = 0;          // 0 = not given: start-up derives it from the memory of the node
  unsigned wait_warn_seconds = 30;     // 0 = never
  unsigned wait_abort_seconds = 0;     // 0 = never
  unsigned start_limit_seconds = 120;  // 0 = never
  unsigned deadlock_seconds = 10;      // 0 = never
  int node_pes = 0;                    // PEs of a virtual node, which reaches other nodes by a transport only; 0 = none
  char transport[64] = "auto";         // name of the transport to other nodes, or name:options
  int coll_domain = 0;                 // PEs of a domain of collectives; 0 = all
  long spin_microseconds = -1;         // -1 = decide from the number of PEs and CPUs
  int ctx_endpoints = -1;              // contexts with a network endpoint of their own; -1 = by the number of CPUs
  atomics_policy atomics = atomics_policy::automatic;
  bool progress_thread = false;  // a thread advances non-blocking collectives
  bool handover_by_socket_only = false;
  bool huge_pages = false;
  bool one_address = false;      // the heap has the same address on all PEs
  bool check = false;            // check every address and the arguments of every collective call
  std::uint64_t chaos_seed = 0;  // for tests: seed of random delays in collectives; 0 = none
  char fault_phase[32] = "";     // for tests: the phase of start-up in which `fault_pe` dies
  int fault_pe = -1;             // for tests: this PE dies in `fault_phase`
};

// Reads every variable of the table. For an invalid value it logs an error and returns bad_setting.
status read_settings(settings& out);

// The value of `name`, or of its older `alias` if `name` is not set; null if neither is set. An empty value counts as
// set.
const char* setting_text(const char* name, const char* alias = nullptr);

// A hash of the settings that must be the same on all PEs: OSHEN_ATOMICS, OSHEN_CHECK, OSHEN_COLL_*, OSHEN_NODE_PES,
// OSHEN_SECURE, OSHEN_TRANSPORT. A variable that is set to its default counts as not set.
std::uint64_t hash_of_agreed_settings();

// "3.1M" -> 3250586: a non-negative number and an optional k, m, g or t (powers of 1024). Text after the suffix is
// ignored (OpenSHMEM 1.6, chapter 8). False without a number, with another suffix, or if the size does not fit.
bool parse_size(const char* text, std::size_t& bytes);

}  // namespace oshen
