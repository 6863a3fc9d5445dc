// Settings come from the environment, are read once per initialisation, and are listed in spec/settings.def.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace oshen {

// One row of the generated table (spec/settings.def), which help and oshinfo print.
struct setting_row {
  const char* name;
  const char* alias;     // older name, lower priority; "" = none
  const char* type;
  const char* fallback;  // the default, in words or as a value
  const char* about;
};

struct settings {
  bool show_version = false;
  bool show_help = false;
  bool debug = false;
  std::size_t heap_bytes = 0;          // 0 = not given: world decides from the memory of the node
  unsigned wait_warn_seconds = 30;     // 0 = never
  unsigned wait_abort_seconds = 0;     // 0 = never
  unsigned deadlock_seconds = 10;      // 0 = never
  int node_pes = 0;                    // not 0: so many PEs in a row are a node, and reach others by a transport only
  char transport[64] = "auto";         // to other nodes: name, or name:options
  int coll_domain = 0;                 // PEs of a domain of collectives; 0 = all
  long spin_microseconds = -1;         // -1 = decide from the number of PEs and CPUs
  bool progress_thread = false;        // a thread advances non-blocking collectives
  bool handover_by_socket_only = false;
  bool check = false;                  // look closely at every address and every collective call
  std::uint64_t chaos_seed = 0;        // for tests: delays at random in collectives; 0 = none
  char fault_phase[32] = "";           // for the fault tests: die in this phase of start-up ...
  int fault_pe = -1;                   // ... when this PE
};

// Reads every variable of the table; logs and returns bad_setting for a value that cannot be used.
status read_settings(settings& out);

// The value of `name`, else of its older `alias`, else null. An empty value counts as set.
const char* setting_text(const char* name, const char* alias = nullptr);

// The same number in two processes: what all PEs must agree on (OSHEN_CHECK, OSHEN_COLL_*, OSHEN_NODE_PES,
// OSHEN_TRANSPORT) has the same values; a default that is set counts as none.
std::uint64_t hash_of_agreed_settings();

// "3.1M" -> 3250586: a non-negative number, optional k m g t (powers of 1024), after which the rest is
// ignored (OpenSHMEM 1.6, chapter 8). False when there is no number, something else follows it, or it does not fit.
bool parse_size(const char* text, std::size_t& bytes);

}  // namespace oshen
